import { sqlOver } from '../../db/database.ts';
import { Attempts } from '../../webhooks/lanes/first-attempts/attempts.ts';
import { claimDue } from '../../webhooks/lanes/first-attempts/intake.ts';
import { Probes } from '../../webhooks/lanes/first-attempts/probes.ts';
import { Recorder } from '../../webhooks/lanes/first-attempts/recorder.ts';
import { createSigningKeys } from '../../webhooks/signing/keys.ts';
import { createWebhookSender } from '../../webhooks/signing/sender.ts';
import type { RelayFigures } from '../figures.ts';
import { createLoop, type Loop } from '../loop.ts';
import type { RelayParts } from '../parts.ts';
import { BY_ITSELF_MS } from '../polling.ts';
import { relayEvents } from './events.ts';
import { createTaking } from './taking.ts';

export interface FirstAttemptsParts extends RelayParts {
  readonly token: string;
  readonly figures: RelayFigures;
  readonly onCommands: () => void;
}

/** The loops that bring deliveries to their first attempts (lane 1 of `src/webhooks/lanes`), and those attempts. */
export interface FirstAttempts {
  readonly attempts: Attempts;
  /** Turns facts into deliveries, which are passed on directly. */
  readonly events: Loop;
  /** Takes due deliveries from the database when there is room for them. */
  readonly claims: Loop;
  /** Endpoints have changed: what this process has taken for them is returned, to be taken again. */
  forgetChanged(): Promise<void>;
  stop(): Promise<void>;
}

const CLAIM_AT_ONCE = 500;

export function createFirstAttempts(parts: FirstAttemptsParts): FirstAttempts {
  const { database, log, token, figures } = parts;
  const sql = sqlOver(database.system);
  // Whether deliveries were left because their endpoint was full here, or facts because everything was.
  let leftBehind = true;
  let heldBack = false;
  let turn: string | null = null;

  const recorder = new Recorder({
    database,
    token,
    clock: parts.clock,
    backoff: parts.backoff,
    log,
    onCommands: parts.onCommands,
    onFirst: (status) => {
      figures.firstAttempts[status] = (figures.firstAttempts[status] ?? 0) + 1;
    },
  });
  const attempts = new Attempts({
    sender: createWebhookSender(parts.sender, createSigningKeys(parts.keyring), parts.onPostponed),
    recorder,
    clock: parts.clock,
    onRoom: (refill) => {
      if (leftBehind && refill) claims.poke();
      if (heldBack) events.poke();
    },
  });
  const taking = createTaking({ sql, attempts, recorder });
  const probes = new Probes();
  const takeFacts = async (): Promise<boolean> => {
    heldBack = attempts.busy;
    if (heldBack) return false;
    const { full, slow } = attempts;
    const taker = { token, full, slow, resting: probes.resting, after: turn ?? '' };
    const since = taking.since();
    const { deliveries, claimed, parked, next } = await relayEvents({ database, log }, taker);
    turn = next;
    if (deliveries > claimed.length) leftBehind = true;
    const admitted = probes.admit(claimed);
    recorder.park(admitted.rest);
    recorder.drain(parked);
    await taking.take(admitted.probes, since);
    return next !== null;
  };
  const takePending = async (): Promise<boolean> => {
    if (attempts.busy) return false;
    const taker = { token, full: attempts.full, slow: attempts.slow };
    const since = taking.since();
    const claimed = await claimDue(sql, taker, CLAIM_AT_ONCE);
    leftBehind = claimed.length > 0 || taker.full.length > 0;
    await taking.take(claimed, since);
    return claimed.length > 0;
  };
  const loop = (name: string, work: () => Promise<boolean>): Loop =>
    createLoop({ name, everyMs: BY_ITSELF_MS, log, work });
  const events = loop('the relay of events', takeFacts);
  const claims = loop('the claim of due deliveries', takePending);

  return {
    attempts,
    events,
    claims,
    forgetChanged: taking.forgetChanged,
    stop: async () => {
      await Promise.all([events.stop(), claims.stop()]);
      await attempts.stop();
      await recorder.stop();
    },
  };
}
