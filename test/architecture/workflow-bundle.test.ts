import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { workflowBundle } from '../support/env.ts';

it('keeps database, HTTP and Node code out of the workflow bundle', () => {
  const code = readFileSync((workflowBundle as { codePath: string }).codePath, 'utf8');

  expect(code).toContain('sendCampaign');
  expect(code).toContain('deliverWebhook');
  expect(code).not.toMatch(
    /mikro-orm|node_modules\/(koa|pg|undici|pino)\/|src\/(db|http|outbox)\//,
  );
});
