import { beforeAll, describe, expect, it } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { workflowBundle } from '../support/env.ts';
import { keptHistories, loopingWorkflows, releasedWorkflows } from '../support/histories.ts';

type Kept = ReturnType<typeof keptHistories>[number];

const typeOf = ({ history }: Kept): string | null | undefined =>
  history?.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name;

const goesOnAnew = ({ history }: Kept): boolean =>
  Boolean(history?.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes);

/** An activity was scheduled twice: what stands behind the first turn of the loop has run. */
function turnsTwice({ history }: Kept): boolean {
  const called = (history?.events ?? [])
    .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name)
    .filter(Boolean);
  return new Set(called).size < called.length;
}

/** By one worker: each would take a second to start. */
async function replayed(all: readonly Kept[]): Promise<Map<string, string | null>> {
  const histories = all.map(({ name, history }) => ({ workflowId: name, history }));
  const told = new Map<string, string | null>();
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    histories,
  )) {
    const kept = all.find(({ name }) => name === workflowId);
    told.set(workflowId, error && kept ? advice(kept, error) : null);
  }
  return told;
}

/** Whoever changed a workflow learns which one, at which event, and what to do about it. */
const advice = (kept: Kept, { message }: Error): string =>
  `The workflow ${typeOf(kept)} does not go the way that test/histories/${kept.name} went, so runs under way would ` +
  `stand still. ${message}\nEither take the change back, or put it behind patched('what-changed') and keep the ` +
  'history of both ways: docs/workflows.md, Changing a released workflow.';

describe('a released workflow', () => {
  const kept = keptHistories();
  let told: Map<string, string | null>;
  beforeAll(async () => {
    told = await replayed(kept);
  });

  it.each(kept)('still goes the way it went: $name', ({ name }) => {
    expect(told.get(name)).toBeNull();
  });

  it('has a history that is kept, each of them', () => {
    const types = new Set(kept.map(typeOf));

    expect(releasedWorkflows()).toContain('sendCampaign');
    expect(releasedWorkflows().filter((name) => !types.has(name))).toEqual([]);
  });

  it('has one in which its loop turns again and ends there, and one that goes on in a new run', () => {
    const typesOf = (some: readonly Kept[]): Set<unknown> => new Set(some.map(typeOf));
    const turned = typesOf(kept.filter((one) => turnsTwice(one) && !goesOnAnew(one)));
    const wentOn = typesOf(kept.filter(goesOnAnew));

    expect(loopingWorkflows()).toContain('sendCampaign');
    expect(loopingWorkflows().filter((name) => !turned.has(name))).toEqual([]);
    expect(loopingWorkflows().filter((name) => !wentOn.has(name))).toEqual([]);
  });

  it('is noticed when it would go another way, by its name and the event, with what to do', async () => {
    const changed = keptHistories().filter(({ name }) => name === 'send-campaign-done.json');
    const scheduled = changed[0]?.history?.events?.find(
      (event) => event.activityTaskScheduledEventAttributes,
    );
    const attributes = scheduled?.activityTaskScheduledEventAttributes;
    if (attributes) attributes.activityType = { name: 'somethingElse' };

    const [said] = (await replayed(changed)).values();

    expect(said).toMatch(/workflow sendCampaign .*send-campaign-done.*somethingElse.*patched/s);
  });
});
