import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { system } from '../../../../src/access/actor.ts';
import type { Call, Move } from '../../../../src/automations/running/moves.ts';
import { takeAnswer, takeStep } from '../../../../src/automations/running/step.ts';
import type { Context } from '../../../../src/context.ts';
import { createContext } from '../../../../src/db/contexts.ts';
import { transact } from '../../../../src/db/transact.ts';
import { createSafeSender, type SafeSender } from '../../../../src/net/sender.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import {
  aRunScene,
  openRunStage,
  type RunScene,
  type RunStage,
} from '../../running/support/scene.ts';

/** How long a call is left to whoever makes it. */
export const LEASE_MS = 90_000;
const ANSWER = {
  kind: 'delivered',
  error: null,
  code: 200,
  response: 'ok',
  retryAfterMs: null,
  durationMs: 5,
};

/** Runs whose first step calls somebody else's server, with each part of it taken by hand; a scene for each test. */
export function callingScene() {
  let stage: RunStage;
  let sender: SafeSender;
  const open = {} as { receiver: Receiver; scene: RunScene };

  beforeAll(async () => {
    stage = await openRunStage();
    open.receiver = await startReceiver();
    sender = createSafeSender({ trustedOrigins: [open.receiver.origin] });
  });
  afterAll(async () => {
    await sender.close();
    await open.receiver.close();
    await stage.close();
  });
  beforeEach(async () => {
    open.receiver.received.length = 0;
    open.scene = await aRunScene(stage, { effects: { sender } });
  });

  const as = (): Context =>
    createContext(
      { database: stage.database, wake: () => {} },
      {
        organizationId: open.scene.ctx.organizationId,
        actor: system('tests'),
        now: open.scene.now,
      },
    );
  const step = (runId: string): Promise<Move> =>
    transact(as(), (tx) => takeStep(tx, runId, 'workflow'));

  return {
    open,
    as,
    step,
    /** A run that calls, then takes these steps. */
    begin: (behind: readonly Record<string, unknown>[] = []): Promise<string> => {
      const { origin } = open.receiver;
      const call = { id: 'ask', type: 'http_request', method: 'GET', url: `${origin}/x` };
      const steps = [{ ...call, next: behind[0]?.['id'] ?? 'end' }, ...behind];
      return open.scene.start(steps, { trustedOrigins: [origin] });
    },
    /** The call that the run makes now. */
    called: async (runId: string): Promise<Call> => {
      const move = await step(runId);
      if (move.kind !== 'call') throw new Error(`It is ${move.kind}.`);
      return move.call;
    },
    answer: (call: Call): Promise<Move> =>
      transact(as(), (tx) => takeAnswer(tx, call, ANSWER, 'workflow')),
  };
}
