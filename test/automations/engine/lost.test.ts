import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startRun } from '../../../src/automations/running/starting.ts';
import { transact } from '../../../src/db/transact.ts';
import { createReconciler } from '../../../src/relay/reconciler.ts';
import { anEngineScene, type EngineScene } from './support/person.ts';
import { type EngineStage, openEngineStage } from './support/stage.ts';

let stage: EngineStage;
let scene: EngineScene;
let reconcile: () => Promise<void>;

beforeAll(async () => {
  stage = await openEngineStage();
  reconcile = createReconciler({ database: stage.database, calls: stage.calls });
});
afterAll(() => stage.close());
beforeEach(async () => {
  scene = await anEngineScene(stage);
});

const STEPS = [
  { id: 'hour', type: 'wait', duration: 'PT1H', next: 'after' },
  { id: 'after', type: 'send_message', text: 'after', next: 'end' },
];
const OVERDUE = "interval '1 hour'";

describe('what was lost is found by the reconciler', () => {
  it('a run whose steps nobody takes, as its process died', async () => {
    const { contactId, conversationId, heard } = await scene.person();
    const [, ...steps] = STEPS;
    const automationId = await scene.automation(steps);
    const started = await transact(await stage.at(scene.organizationId), (tx) =>
      startRun(tx, {
        automationId,
        contactId,
        conversationId,
        trigger: { type: 'manual', ref: null },
        messageId: null,
        chain: [],
        causeRunId: null,
      }),
    );
    const runId = 'runId' in started ? started.runId : '';
    expect(await scene.run(runId)).toMatchObject({ status: 'running', step: 'after' });

    await scene.rows(`update automation_runs set moved_at = moved_at - ${OVERDUE}`);
    await reconcile();
    await stage.handle(runId).result();

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await heard()).toHaveLength(1);
  });

  it('a run whose process died between two steps, at once, though its workflow sleeps for an earlier wait', async () => {
    const person = await scene.person();
    const runId = await person.begin(await scene.automation(STEPS));
    await stage.settle();
    const before = await stage.now();
    await scene.rows(
      `update automation_runs set status = 'running', current_step_id = 'after', waits_for = null, wait_until = null,
         moved_at = moved_at - ${OVERDUE}`,
    );

    await reconcile();
    await stage.handle(runId).result();

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await person.heard()).toHaveLength(1);
    // Not after the hour for which the workflow was to sleep.
    const [ended] = await scene.rows<{ at: Date }>(
      'select finished_at as at from automation_runs where id = $1',
      runId,
    );
    expect((ended?.at.getTime() ?? Infinity) - before.getTime()).toBeLessThan(1_800_000);
  });

  it('a run whose workflow is gone, when its wait is over', async () => {
    const person = await scene.person();
    const runId = await person.begin(await scene.automation(STEPS));
    await stage.settle();
    await stage.handle(runId).terminate('by the operator');
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting' });

    await scene.rows(`update automation_runs set wait_until = now() - ${OVERDUE}`);
    await reconcile();
    await stage.handle(runId).result();

    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
    expect(await person.heard()).toHaveLength(1);
  });

  it('runs of an automation that was turned off, though the workflow that was to end them is gone', async () => {
    const person = await scene.person();
    const automationId = await scene.automation(STEPS);
    const runId = await person.begin(automationId);
    await stage.settle();
    await scene.rows("update automations set status = 'inactive', stopped_version = version");

    await reconcile();
    await stage.environment.client.workflow.getHandle(`deactivate:${automationId}`).result();
    await stage.settle();

    expect(await scene.run(runId)).toMatchObject({ status: 'cancelled' });
    expect(await person.heard()).toEqual([]);
  });
});
