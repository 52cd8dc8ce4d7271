import { describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { keptHistories } from '../support/histories.ts';
import { workflowBundle } from '../support/env.ts';

describe('a released workflow', () => {
  it.each(keptHistories())('still goes the way it went: $name', async ({ history }) => {
    await Worker.runReplayHistory({ workflowBundle }, history);
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
