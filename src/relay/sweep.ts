import { outgoingHolders } from '../conversations/lane/claims.ts';
import { type Database, sqlOver } from '../db/database.ts';
import type { Log } from '../log.ts';
import { startStrays } from '../webhooks/lanes/backlog/drains.ts';
import { leaseHolders, releaseOf } from '../webhooks/lanes/first-attempts/leases.ts';
import { releaseCommandsOf } from './commands.ts';
import type { FirstAttempts } from './lanes/first-attempts.ts';
import { freeOutgoing, type OutgoingLoop } from './lanes/outgoing.ts';
import type { PresenceCache } from './processes/presence.ts';

export interface SweepParts {
  readonly database: Database;
  readonly token: string;
  readonly presenceCache: PresenceCache;
  readonly lane: Pick<FirstAttempts, 'forgetChanged'>;
  readonly outgoing: Pick<OutgoingLoop, 'held'>;
  readonly log: Log;
  /** Work was released for the claims, or commands were recorded. */
  readonly onWork: () => void;
}

const STRAYS_EVERY_MS = 30_000;
/** What is not urgent: leases of processes that ended before this one started. */
const REST_EVERY_MS = 5_000;
/** The rescue asks at least this often. */
const LATELY_MS = 1_500;

/** Examines business state rather than the queue, and so finds work that no one announced. */
export function createSweep(parts: SweepParts): () => Promise<void> {
  const { database, token, presenceCache, lane, outgoing, log, onWork } = parts;
  const sql = sqlOver(database.system);
  let present = new Set<string>();
  let missing = new Set<string>();
  let strayedAt = Number.NEGATIVE_INFINITY;
  let restedAt = Number.NEGATIVE_INFINITY;

  /** Asking who is present is cheap; asking what each has taken is not. */
  async function anybodyGone(): Promise<boolean> {
    const before = present;
    present = await presenceCache.lately(LATELY_MS);
    return missing.size > 0 || [...before].some((token) => !present.has(token));
  }

  /** Absent in two sweeps in a row: a process that only lost its connection has a new one by then. */
  async function freeWhatTheDeadHold(): Promise<void> {
    const holders = [...new Set([...(await leaseHolders(sql)), ...(await outgoingHolders(sql))])];
    present = await presenceCache.ask();
    const absent = holders.filter((holder) => !present.has(holder) && holder !== token);
    const dead = absent.filter((holder) => presenceCache.sure && missing.has(holder));
    missing = new Set(absent);
    if ((await freeOutgoing(database, dead, { token, held: outgoing.held() })) > 0) onWork();
    if (dead.length === 0) return;
    log.warn({ processes: dead }, 'taking over what ended processes had in hand');
    await releaseOf(sql, dead);
    await releaseCommandsOf(sql, dead);
    onWork();
  }

  async function findStrays(): Promise<void> {
    const now = performance.now();
    if (now - strayedAt < STRAYS_EVERY_MS) return;
    strayedAt = now;
    if ((await startStrays(sql)) > 0) onWork();
  }

  return async () => {
    await lane.forgetChanged();
    const rest = performance.now() - restedAt >= REST_EVERY_MS;
    if ((await anybodyGone()) || rest) await freeWhatTheDeadHold();
    if (rest) restedAt = performance.now();
    await findStrays();
  };
}
