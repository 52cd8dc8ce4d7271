import { beforeEach, describe, expect, it } from '@jest/globals';
import { recordTakeover } from '../../../src/automated/takeovers.ts';
import { advanceRun } from '../../../src/automations/running/advance.ts';
import { lockRun } from '../../../src/automations/running/run.ts';
import { cancelRun } from '../../../src/automations/runs.ts';
import { activateAutomation, deactivateAutomation } from '../../../src/automations/transitions.ts';
import { deleteContact } from '../../../src/contacts/deleting.ts';
import { transact } from '../../../src/db/transact.ts';
import { keepHistory } from '../../support/histories.ts';
import { opened } from '../../support/opened.ts';
import { anEngineScene, type EngineScene } from './support/person.ts';
import { openEngineStage } from './support/stage.ts';

const DAY = 86_400_000;

const stage = opened(openEngineStage);
let scene: EngineScene;

beforeEach(async () => {
  scene = await anEngineScene(stage);
});

const STEPS = [
  { id: 'month', type: 'wait', duration: 'P30D', next: 'after' },
  { id: 'after', type: 'send_message', text: 'after', next: 'end' },
];

/** A run that waits, with its workflow asleep. */
async function waiting() {
  const person = await scene.person();
  const automationId = await scene.automation(STEPS);
  const runId = await person.begin(automationId);
  await stage.advance(DAY);
  expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });
  return { person, runId, handle: stage.handle(runId), ctx: await stage.at(scene.organizationId) };
}

/** The workflow has ended, nothing more was said, and no failure was told. */
async function expectOver(runId: string, status: string): Promise<void> {
  expect(await scene.run(runId)).toMatchObject({ status, waitsFor: null, waitUntil: null });
  expect((await scene.run(runId)).finishedAt).not.toBeNull();
  expect(await scene.steps(runId)).toEqual(['month cancelled']);
  await stage.advance(40 * DAY);
  expect(await scene.rows("select from messages where direction = 'outbound'")).toEqual([]);
  expect(await scene.told('automation.failed')).toBe(0);
}

describe('a run that waits and its workflow end together', () => {
  it('when it is cancelled over the API', async () => {
    const { runId, handle, ctx } = await waiting();

    await cancelRun(ctx, runId);
    await stage.settle();
    await handle.result();

    await expectOver(runId, 'cancelled');
    await keepHistory(handle, 'run-automation-cancelled-before-it-began');
  });

  it('when an operator cancels the workflow', async () => {
    const { runId, handle } = await waiting();

    await handle.cancel();
    await expect(handle.result()).rejects.toThrow(/cancel/i);

    await expectOver(runId, 'cancelled');
    expect(
      await scene.rows(
        "select target, actor ->> 'name' as by from audit_entries where action = 'automation.run_cancelled'",
      ),
    ).toEqual([{ target: expect.objectContaining({ id: runId }), by: 'Temporal operator' }]);
    await keepHistory(handle, 'run-automation-cancelled-by-operator-before-it-began');
  });

  it('when a person takes the conversation over', async () => {
    const { runId, handle, ctx, person } = await waiting();

    expect(await transact(ctx, (tx) => recordTakeover(tx, person.conversationId))).toBe(1);
    await stage.settle();
    await handle.result();

    await expectOver(runId, 'handed_over');
  });

  it('when the contact is deleted', async () => {
    const { runId, handle, ctx, person } = await waiting();

    await deleteContact(ctx, person.contactId, []);
    await stage.settle();
    await handle.result();

    await expectOver(runId, 'cancelled');
  });
});

const MANY = 60;

const open = (): Promise<unknown[]> =>
  scene.rows("select from automation_runs where status in ('running', 'waiting')");

describe('an automation that is turned off', () => {
  it('finishes its runs, or ends them all, also those it was to finish', async () => {
    const automationId = await scene.automation(STEPS);
    const runIds: string[] = [];
    while (runIds.length < MANY) runIds.push(await (await scene.person()).begin(automationId));
    await stage.settle();
    const ctx = await stage.at(scene.organizationId);

    await deactivateAutomation(ctx, automationId, 'finish');
    expect(await open()).toHaveLength(MANY);
    await deactivateAutomation(ctx, automationId, 'cancel');

    const left = await scene.rows<{ id: string }>(
      "select id from automation_runs where status = 'waiting' order by id",
    );
    expect(left.length).toBeLessThan(MANY);
    const { organizationId } = scene;
    const ref = { organizationId, runId: left.at(-1)?.id ?? '' };
    expect(await advanceRun(stage.deps, ref, 'workflow')).toMatchObject({ stage: 'cancelled' });
    await stage.settle();
    const handle = stage.environment.client.workflow.getHandle(`deactivate:${automationId}`);
    await handle.result();
    expect(await open()).toEqual([]);
    for (const runId of [runIds.at(0), runIds.at(-1)]) await expectOver(runId ?? '', 'cancelled');
    const stopped = await scene.rows('select stopped_version from automations');
    expect(stopped).toEqual([{ stopped_version: null }]);
    await keepHistory(handle, 'deactivate-automation');
  });

  it('waits for nobody who takes a step: that run ends when the step is done', async () => {
    const automationId = await scene.automation(STEPS);
    const runId = await (await scene.person()).begin(automationId);
    await stage.settle();
    const ctx = await stage.at(scene.organizationId);
    const taken = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const step = transact(ctx, async (tx) => {
      await lockRun(tx, runId);
      taken.resolve();
      await done.promise;
    });
    await taken.promise;

    await deactivateAutomation(await stage.at(scene.organizationId), automationId, 'cancel');
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });
    await stage.settle();
    done.resolve();
    await step;
    await stage.environment.client.workflow.getHandle(`deactivate:${automationId}`).result();

    await expectOver(runId, 'cancelled');
  });

  it('and on again begins runs that go on', async () => {
    const automationId = await scene.automation(STEPS);
    const person = await scene.person();
    const before = await person.begin(automationId);
    await stage.settle();

    await deactivateAutomation(await stage.at(scene.organizationId), automationId, 'cancel');
    await activateAutomation(await stage.at(scene.organizationId), automationId);
    const after = await person.begin(automationId);
    await stage.advance(31 * DAY);

    expect(await scene.run(before)).toMatchObject({ status: 'cancelled' });
    expect(await scene.run(after)).toMatchObject({ status: 'succeeded' });
  });
});
