import { audit } from '../../../audit/service.ts';
import type { Context, Wake } from '../../../context.ts';
import type { Clock } from '../../../db/clock.ts';
import { type Database, inWorkspace, KEPT_PLAN } from '../../../db/database.ts';
import { first, type Sql } from '../../../db/sql.ts';
import { transact } from '../../../db/transact.ts';
import { faultPoint } from '../../../fault-points.ts';
import { resendChunk } from '../../deliveries/resending.ts';
import type { EndpointStatus } from '../../rules.ts';
import { type DrainStep, end } from './drain-step.ts';
import {
  ALL_HELD,
  END_CHUNK,
  HOLD_BACK,
  HOLD_BEGUN_CHUNK,
  HOLD_CHUNK,
  LOCK_ENDPOINT,
  RESENT_ALL,
  SET_DRAIN_AT,
} from './queries.ts';
import { AHEAD, countInLane, ON_TIME, releaseDue, type Times } from './release.ts';

export interface BacklogParts {
  readonly database: Pick<Database, 'app'>;
  readonly clock: Clock;
  readonly wake: Wake;
}

/** The endpoint, as ids only, because anyone may read a workflow's history. */
export interface EndpointIds {
  readonly organizationId: string;
  readonly endpointId: string;
}

interface EndpointState {
  readonly status: EndpointStatus;
  readonly deleted: boolean;
  /** For an active endpoint: since when its backlog must be marked as held before anything is released. */
  readonly pausedAt: Date | null;
  readonly failuresInRow: number;
  readonly resendBefore: Date | null;
  /** An operator ended its drain: what was held then stays so until the endpoint is resumed. */
  readonly heldBack: boolean;
}

/** Rows per transaction, which must not hold up anyone for longer than a tenth of a second. */
const CHUNK = 500;
const AT_ONCE_MS = 20;
const IN_FLIGHT_MS = 1_000;
/**
 * The commit does not wait for the disk while the endpoint's row is locked; if the database crashes, what it loses is
 * found again.
 */
const SETTINGS = `${KEPT_PLAN}; set local synchronous_commit = off`;

/**
 * Handles an endpoint's backlog once: the endpoint's row decides what happens to waiting deliveries. Safe to repeat.
 * The row stays locked meanwhile, so that pausing, resuming and new backlogs either are seen or come later.
 *
 * @param freshAt of the look before
 */
export async function drainBacklog(
  { database, clock, wake }: BacklogParts,
  { organizationId, endpointId }: EndpointIds,
  freshAt?: string,
): Promise<DrainStep> {
  const now = clock.now();
  const place = [organizationId, endpointId];
  const times = { now, freshAt, ahead: clock.skips ? ON_TIME : AHEAD };
  const look = async (sql: Sql): Promise<DrainStep> => {
    const endpoint = await first<EndpointState>(sql, LOCK_ENDPOINT, place, 'lock-endpoint');
    // A database restored from before the endpoint existed.
    if (!endpoint) return end(0, 'The endpoint is gone.');
    const seen = await lookAt(sql, { organizationId, endpointId }, endpoint, times);
    const nextLook = seen.next === 'look' ? new Date(now.getTime() + seen.waitMs) : null;
    await sql.rows(SET_DRAIN_AT, [...place, nextLook], 'set-drain-at');
    return seen;
  };
  const step = await inWorkspace(database, organizationId, look, SETTINGS);
  if (step.moved > 0) {
    faultPoint('after-release');
    void wake('deliveries');
  }
  return step;
}

async function lookAt(
  sql: Sql,
  { organizationId, endpointId }: EndpointIds,
  endpoint: EndpointState,
  times: Times,
): Promise<DrainStep> {
  const { now } = times;
  const place = [organizationId, endpointId];
  if (!(await resendRest(sql, { organizationId, endpointId }, endpoint))) return again('resending');
  if (endpoint.deleted) return endRest(sql, place, now);
  if (endpoint.status === 'paused') return holdRest(sql, place, endpoint.pausedAt ?? now);
  if (endpoint.pausedAt && !(await holdBegun(sql, place, endpoint.pausedAt)))
    return { ...again('holding'), says: 'The endpoint was paused: what waits gets its time back.' };
  return releaseDue(sql, place, endpoint, times);
}

/** What a resend of all has left comes to the backlog. Returns whether that was all. */
async function resendRest(
  sql: Sql,
  ids: EndpointIds,
  { deleted, resendBefore: before }: EndpointState,
): Promise<boolean> {
  if (deleted || !before) return true;
  const { resent } = await resendChunk(sql, { ...ids, before, limit: CHUNK, to: 'backlog' });
  if (resent === CHUNK) return false;
  await sql.rows(RESENT_ALL, [ids.organizationId, ids.endpointId]);
  return true;
}

/**
 * An operator cancelled the workflow: what waits in the backlog is held until the endpoint is resumed. New deliveries
 * go out as before, and so do retries in the lane and those with a workflow, at their times. What a resend of all had not
 * put there yet, which was promised, is held with the rest: left as it is, it would go out before it.
 */
export async function holdBacklog(ctx: Context, id: string): Promise<void> {
  while (await transact(ctx, (tx) => holdSome(tx, id)));
}

/** Returns whether there may be more. */
async function holdSome(tx: Context, id: string): Promise<boolean> {
  const { sql, organizationId, now } = tx;
  const place = [organizationId, id];
  const endpoint = await first<EndpointState>(sql, LOCK_ENDPOINT, place, 'lock-endpoint');
  if (!endpoint) return false;
  if (!(await resendRest(sql, { organizationId, endpointId: id }, endpoint))) return true;
  const params = [...place, endpoint.pausedAt ?? now, CHUNK, endpoint.status === 'paused'];
  if ((await sql.rows(HOLD_CHUNK, params, 'hold-chunk')).length === CHUNK) return true;
  const held = await first<{ name: string }>(sql, HOLD_BACK, [...place, now]);
  if (held) await audit(tx, { action: 'webhook.held', target: { type: 'webhook', id, ...held } });
  return false;
}

async function endRest(sql: Sql, place: readonly string[], now: Date): Promise<DrainStep> {
  const ended = await sql.rows(END_CHUNK, [...place, now, CHUNK], 'end-chunk');
  if (ended.length === CHUNK) return again('ending');
  return end(0, 'The endpoint is deleted; nothing is attempted again.');
}

async function holdRest(sql: Sql, place: readonly string[], since: Date): Promise<DrainStep> {
  const held = await sql.rows(HOLD_CHUNK, [...place, since, CHUNK, true], 'hold-chunk');
  if (held.length === CHUNK) return again('holding');
  if ((await countInLane(sql, place, 1)).now === 0)
    return end(0, 'The endpoint is paused: everything is held until it is resumed.');
  return { ...again('holding'), waitMs: IN_FLIGHT_MS, why: 'attempts in flight' };
}

/** Returns whether that was all. */
async function holdBegun(sql: Sql, place: readonly string[], since: Date): Promise<boolean> {
  const held = await sql.rows(HOLD_BEGUN_CHUNK, [...place, since, CHUNK], 'hold-begun');
  if (held.length === CHUNK) return false;
  await sql.rows(ALL_HELD, place);
  return true;
}

const CHUNKS = {
  resending: 'Putting what failed into the backlog again.',
  holding: 'The endpoint is paused: holding what waits for it.',
  ending: 'The endpoint is deleted: ending what is left.',
};

const again = (stage: keyof typeof CHUNKS): Extract<DrainStep, { next: 'look' }> => ({
  next: 'look',
  moved: 0,
  says: CHUNKS[stage],
  stage,
  waitMs: AT_ONCE_MS,
  why: 'the next chunk',
});
