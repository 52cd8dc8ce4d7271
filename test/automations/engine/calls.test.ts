import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { system } from '../../../src/access/actor.ts';
import { actOnHappening } from '../../../src/automations/running/listening/happenings.ts';
import type { Call, Move } from '../../../src/automations/running/moves.ts';
import { takeAnswer, takeStep } from '../../../src/automations/running/step.ts';
import { cancelRun } from '../../../src/automations/runs.ts';
import { deactivateAutomation } from '../../../src/automations/transitions.ts';
import { createContext } from '../../../src/db/contexts.ts';
import { transact } from '../../../src/db/transact.ts';
import { createSafeSender, type SafeSender } from '../../../src/net/sender.ts';
import { recordWritten } from '../../../src/outbox/triggers.ts';
import { anActiveAutomation } from '../../support/factories/automations.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { aScene, later, openStage, type Scene, type Stage } from '../running/support/scene.ts';

let stage: Stage;
let receiver: Receiver;
let sender: SafeSender;
let scene: Scene;

beforeAll(async () => {
  stage = await openStage();
  receiver = await startReceiver();
  sender = createSafeSender({ trustedOrigins: [receiver.origin] });
});
afterAll(async () => {
  await sender.close();
  await receiver.close();
  await stage.close();
});
beforeEach(async () => {
  receiver.received.length = 0;
  scene = await aScene(stage, { effects: { sender } });
});

const LEASE_MS = 90_000;
const ANSWER = {
  kind: 'delivered',
  error: null,
  code: 200,
  response: 'ok',
  retryAfterMs: null,
  durationMs: 5,
};

const begin = (): Promise<string> =>
  scene.start(
    [{ id: 'ask', type: 'http_request', method: 'GET', url: `${receiver.origin}/x`, next: 'end' }],
    { trustedOrigins: [receiver.origin] },
  );

const as = () =>
  createContext(
    { database: stage.database, wake: () => {} },
    { organizationId: scene.ctx.organizationId, actor: system('tests'), now: scene.now },
  );

const step = (runId: string): Promise<Move> =>
  transact(as(), (tx) => takeStep(tx, runId, 'workflow'));

const answer = (call: Call): Promise<Move> =>
  transact(as(), (tx) => takeAnswer(tx, call, ANSWER, 'workflow'));

async function called(runId: string): Promise<Call> {
  const move = await step(runId);
  if (move.kind !== 'call') throw new Error(`It is ${move.kind}.`);
  return move.call;
}

const steps = (runId: string) =>
  scene.rows(
    'select step_id as id, status from automation_run_steps where run_id = $1 order by seq',
    runId,
  );

describe('a call of somebody else’s server', () => {
  it('is made by the workflow of its run, never by the lane, and once', async () => {
    const runId = await begin();

    expect(await scene.advance(runId, 'lane')).toMatchObject({
      stage: 'waiting',
      waitsFor: 'call',
    });
    expect(await scene.advance(runId, 'lane')).toMatchObject({
      stage: 'waiting',
      waitsFor: 'call',
    });
    expect(receiver.received).toEqual([]);
    expect(await scene.rows("select from facts where type = 'run.waiting'")).toHaveLength(1);
    await scene.advance(runId, 'workflow');
    await scene.advance(runId, 'workflow');

    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]?.headers['idempotency-key']).toBe(`${runId}-1`);
    expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
  });

  it('is left to whoever makes it, made anew by the next when its lease is over, and heard from one of them', async () => {
    const runId = await begin();
    const first = await called(runId);
    expect(await step(runId)).toMatchObject({ kind: 'wait', for: 'call' });

    later(scene, LEASE_MS);
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
    const [run] = await scene.rows<{ id: string }>(
      'select automation_id as id from automation_runs',
    );

    await deactivateAutomation(as(), run?.id ?? '', 'cancel');
    expect(await scene.run(runId)).toMatchObject({ status: 'running' });

    expect(await answer(call)).toEqual({ kind: 'over', status: 'cancelled' });
    expect(await steps(runId)).toEqual([{ id: 'ask', status: 'succeeded' }]);
    expect(await scene.rows("select from facts where type = 'automation.failed'")).toEqual([]);
  });

  it('whose run was cancelled meanwhile has nothing more to say', async () => {
    const runId = await begin();
    const call = await called(runId);

    await cancelRun(as(), runId);

    expect(await answer(call)).toEqual({ kind: 'over', status: 'cancelled' });
    expect(await steps(runId)).toEqual([{ id: 'ask', status: 'cancelled' }]);
  });

  const asksAndListens = (): Promise<string> => {
    const url = `${receiver.origin}/x`;
    const listen = { type: 'wait_for_reply', timeout: 'P1D', on_timeout: 'end' };
    return scene.start(
      [
        { id: 'ask', type: 'http_request', method: 'GET', url, next: 'first' },
        { ...listen, id: 'first', next: 'second' },
        { ...listen, id: 'second', next: 'end' },
      ],
      { trustedOrigins: [receiver.origin] },
    );
  };

  async function hears(text: string): Promise<void> {
    const { contactId, conversationId } = scene;
    const messageId = await scene.hears(text);
    await transact(as(), (tx) =>
      recordWritten(tx, { messageId, contactId, conversationId, opened: false, campaignId: null }),
    );
  }

  async function heedAll(): Promise<void> {
    const kept = await scene.rows<{ id: string }>('select id from automation_triggers order by id');
    for (const { id } of kept) {
      const { runs } = await transact(as(), (tx) => actOnHappening(tx, id, true));
      for (const { runId } of runs) await scene.advance(runId);
    }
  }

  const waiting = (): Promise<unknown[]> => scene.rows('select id from automation_triggers');
  const heard = async (runId: string): Promise<unknown[]> =>
    [...(await scene.outputs(runId, 'first')), ...(await scene.outputs(runId, 'second'))].flatMap(
      (output) => (output as { answer: string } | null)?.answer ?? [],
    );

  it.each([
    ['', 0],
    [', also when it took longer than messages wait', 121_000],
  ])(
    'loses no answer: what somebody writes meanwhile is heard at once by the waits behind it%s',
    async (_, ms) => {
      const runId = await asksAndListens();
      await called(runId);
      await hears('Aqui!');
      await hears('E aqui!');
      later(scene, ms);
      await heedAll();
      expect(await waiting()).toHaveLength(ms > 0 ? 0 : 2);

      if (ms === 0) later(scene, LEASE_MS);
      await answer(await called(runId));
      await scene.advance(runId, 'workflow');
      await heedAll();

      expect(await heard(runId)).toEqual(['Aqui!', 'E aqui!']);
      expect(await scene.run(runId)).toMatchObject({ status: 'succeeded' });
      expect(await waiting()).toEqual([]);
    },
  );

  it('that took longer than messages wait leaves those to what they have started', async () => {
    const runId = await asksAndListens();
    await anActiveAutomation(scene.ctx, { steps: [{ id: 'end', type: 'end' }] });
    await called(runId);
    await hears('Oi?');
    later(scene, 121_000);
    await heedAll();

    await answer(await called(runId));
    await scene.advance(runId, 'workflow');
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'first' });
    await hears('Aqui!');
    await heedAll();

    expect(await heard(runId)).toEqual(['Aqui!']);
  });

  const waits = { timeout: 'P1D', next: 'end', on_timeout: 'end' };
  it.each([
    ['a question', [{ id: 'name', type: 'ask', text: 'Seu nome?', expects: 'text', ...waits }]],
    [
      'a wait behind a message of ours',
      [
        { id: 'say', type: 'send_message', text: 'Seu nome?', next: 'name' },
        { id: 'name', type: 'wait_for_reply', ...waits },
      ],
    ],
  ])('brings %s no answer that was written before that was sent', async (_, behind) => {
    const url = `${receiver.origin}/x`;
    const call = { id: 'ask', type: 'http_request', method: 'GET', url, next: behind[0]?.id };
    const runId = await scene.start([call, ...behind], { trustedOrigins: [receiver.origin] });
    await called(runId);
    await hears('Alguém aí?');
    later(scene, LEASE_MS);

    await answer(await called(runId));
    await scene.advance(runId, 'workflow');
    await heedAll();
    expect(await scene.run(runId)).toMatchObject({ status: 'waiting', step: 'name' });
    expect(await waiting()).toEqual([]);
    await hears('Ana');
    await heedAll();

    expect(await scene.said()).toEqual(['Seu nome?']);
    expect(await scene.outputs(runId, 'name')).toEqual([{ answer: 'Ana', timed_out: false }]);
  });
});
