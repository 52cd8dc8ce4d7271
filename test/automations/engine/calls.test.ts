import { describe, expect, it } from '@jest/globals';
import { cancelRun } from '../../../src/automations/runs.ts';
import { deactivateAutomation } from '../../../src/automations/transitions.ts';
import { later } from '../running/support/scene.ts';
import { callingScene, LEASE_MS } from './support/calling.ts';

const { open, as, begin, step, called, answer } = callingScene();

const steps = (runId: string) =>
  open.scene.rows(
    'select step_id as id, status from automation_run_steps where run_id = $1 order by seq',
    runId,
  );

describe('a call of somebody else’s server', () => {
  it('is made by the workflow of its run, never by the lane, and once', async () => {
    const runId = await begin();

    expect(await open.scene.advance(runId, 'lane')).toMatchObject({
      stage: 'waiting',
      waitsFor: 'call',
    });
    expect(await open.scene.advance(runId, 'lane')).toMatchObject({
      stage: 'waiting',
      waitsFor: 'call',
    });
    expect(open.receiver.received).toEqual([]);
    expect(await open.scene.rows("select from facts where type = 'run.waiting'")).toHaveLength(1);
    await open.scene.advance(runId, 'workflow');
    await open.scene.advance(runId, 'workflow');

    expect(open.receiver.received).toHaveLength(1);
    expect(open.receiver.received[0]?.headers['idempotency-key']).toBe(`${runId}-1`);
    expect(await open.scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('is left to whoever makes it, made anew by the next when its lease is over, and heard from one of them', async () => {
    const runId = await begin();
    const first = await called(runId);
    expect(await step(runId)).toMatchObject({ kind: 'wait', for: 'call' });

    later(open.scene, LEASE_MS);
    const second = await called(runId);
    expect(second.seq).toBe(first.seq);

    expect(await answer(first)).toMatchObject({ kind: 'wait', for: 'call' });
    expect(await answer(second)).toMatchObject({ kind: 'on' });
    expect(await answer(second)).toMatchObject({ kind: 'over' });
    expect(await steps(runId)).toEqual([
      { id: 'ask', status: 'succeeded' },
      { id: 'end', status: 'succeeded' },
    ]);
  });

  it('is settled before its run stops with its automation, and no failure is told', async () => {
    const runId = await begin();
    const call = await called(runId);
    const [run] = await open.scene.rows<{ id: string }>(
      'select automation_id as id from automation_runs',
    );

    await deactivateAutomation(as(), run?.id ?? '', 'cancel');
    expect(await open.scene.run(runId)).toMatchObject({ status: 'running' });

    expect(await answer(call)).toEqual({ kind: 'over', status: 'cancelled' });
    expect(await steps(runId)).toEqual([{ id: 'ask', status: 'succeeded' }]);
    expect(await open.scene.rows("select from facts where type = 'automation.failed'")).toEqual([]);
  });

  it('whose run was cancelled meanwhile has nothing more to say', async () => {
    const runId = await begin();
    const call = await called(runId);

    await cancelRun(as(), runId);

    expect(await answer(call)).toEqual({ kind: 'over', status: 'cancelled' });
    expect(await steps(runId)).toEqual([{ id: 'ask', status: 'cancelled' }]);
  });
});
