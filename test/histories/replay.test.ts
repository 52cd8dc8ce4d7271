import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { keptHistories } from '../support/histories.ts';
import { workflowBundle } from '../support/env.ts';

const FOLDER = fileURLToPath(new URL('../../workflows/', import.meta.url));
const read = (name: string): string => fs.readFileSync(path.join(FOLDER, name), 'utf8');

/** By their names, as the code that is bundled has them. */
const released = (): string[] =>
  [...read('index.ts').matchAll(/'\.\/(.+\.ts)'/g)].flatMap(([, file = '']) =>
    [...read(file).matchAll(/^export async function (\w+)/gm)].map(([, name = '']) => name),
  );

describe('a released workflow', () => {
  const kept = keptHistories();
  const errors = new Map<string, Error | undefined>();

  // By one worker: each would take a second to start.
  beforeAll(async () => {
    const histories = kept.map(({ name, history }) => ({ workflowId: name, history }));
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle }, histories))
      errors.set(workflowId, error);
  });

  it.each(kept)('still goes the way it went: $name', ({ name }) => {
    expect([errors.has(name), errors.get(name)]).toEqual([true, undefined]);
  });

  it('has a history that is kept, each of them', () => {
    const types = new Set(
      kept.map(
        ({ history }) =>
          history?.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name,
      ),
    );

    expect(released()).toContain('sendCampaign');
    expect(released().filter((name) => !types.has(name))).toEqual([]);
  });

  it('is noticed when it would go another way', async () => {
    const history = keptHistories()[0]?.history;
    const scheduled = history?.events?.find((event) => event.activityTaskScheduledEventAttributes);
    const attributes = scheduled?.activityTaskScheduledEventAttributes;
    if (attributes) attributes.activityType = { name: 'somethingElse' };

    const replay = Worker.runReplayHistory({ workflowBundle }, history);

    await expect(replay).rejects.toThrow(/determinis/i);
  });
});
