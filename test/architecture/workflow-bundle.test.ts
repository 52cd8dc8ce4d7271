import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { bundleSources } from '../../src/temporal/bundle.ts';
import { workflowBundle } from '../support/env.ts';

const bundled = (): string =>
  readFileSync((workflowBundle as { codePath: string }).codePath, 'utf8');

it('keeps database, HTTP and Node code out of the workflow bundle', () => {
  const code = bundled();

  expect(code).toContain('sendCampaign');
  expect(code).toContain('deliverWebhook');
  expect(code).not.toMatch(
    /mikro-orm|node_modules\/(koa|pg|undici|pino)\/|src\/(db|http|outbox)\//,
  );
});

it('names the workflow bundle by each of our sources in it: no folder keeps an old one under the name of a new one', () => {
  const ours = bundled().matchAll(/"\.\/((?:src|workflows)\/[\w/.-]+\.ts)"/g);
  const inside = new Set(Array.from(ours, ([, name = '']) => name));

  expect(inside).toContain('src/webhooks/rules.ts');
  expect([...inside].filter((name) => !bundleSources().includes(name))).toEqual([]);
});
