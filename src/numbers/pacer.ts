import type { Clock } from '../db/clock.ts';
import { first, type Sql } from '../db/sql.ts';
import { afterLease, ceilingNow, type Lane, lease, recovery } from './pacing.ts';
import { GROUP_PACE } from './rules.ts';

/** What limits sending: the number's ceiling, and narrower lanes of its own. */
export interface Pace {
  readonly organizationId: string;
  readonly numberId: string;
  /** Messages per minute over everything the number sends; null for no limit. */
  readonly ceilingPerMinute: number | null;
  readonly lanes: readonly NarrowLane[];
  /** Business time: the database's, which tests can skip. Without it the database is asked. */
  readonly clock?: Clock;
}

/** Either a rate in messages per minute, or a share of the number's ceiling. */
export type NarrowLane = { readonly name: string; readonly catchesUp?: boolean } & (
  | { readonly perMinute: number }
  | { readonly share: number }
);

export const GROUP_LANE: NarrowLane = { name: 'groups', perMinute: GROUP_PACE };

/** Evenly spaced moments at which messages may go out. */
export interface Slots {
  readonly count: number;
  /** Milliseconds from now until the first slot, and between slots. */
  readonly firstInMs: number;
  readonly intervalMs: number;
}

export interface NumberState {
  /** How many times in a row WhatsApp told the number to slow down. While it is not 0, a single send probes. */
  readonly refusals: number;
  /** Whether the number's ceiling is temporarily lowered. */
  readonly slowed: boolean;
  /** Milliseconds until WhatsApp accepts messages from the number again; 0 if it does now. */
  readonly heldMs: number;
}

const NUMBER_LANE = 'number';

export interface StateRow {
  readonly refusals: number | null;
  readonly slowed_until: Date | null;
  readonly held_until: Date | null;
  readonly now: Date;
}

/** Columns and join that add the pacing state to a statement that reads a number `n` anyway, for `stateOf`. */
export const STATE = {
  columns: 'p.refusals, p.slowed_until, p.held_until, now() as now',
  join: `left join pacers p on p.organization_id = n.organization_id and p.number_id = n.id and p.lane = '${NUMBER_LANE}'`,
};

/** From the columns of `STATE`, all of which except `now` are null for a number that never sent. */
export function stateOf({ refusals, slowed_until, held_until, now }: StateRow): NumberState {
  const heldMs = held_until ? Math.max(0, held_until.getTime() - now.getTime()) : 0;
  return { refusals: refusals ?? 0, slowed: recovery(slowed_until, now) < 1, heldMs };
}

type OfNumber = Pick<Pace, 'organizationId' | 'numberId'>;

/** By the database's clock. A number that never sent is unrestricted. */
export async function numberState(
  sql: Sql,
  { organizationId, numberId }: OfNumber,
): Promise<NumberState> {
  const row = await first<StateRow>(
    sql,
    `select refusals, slowed_until, held_until, now() as now from pacers
     where organization_id = $1 and number_id = $2 and lane = '${NUMBER_LANE}'`,
    [organizationId, numberId],
    'pacer-state',
  );
  return row ? stateOf(row) : { refusals: 0, slowed: false, heldMs: 0 };
}

interface PacerRow {
  readonly lane: string;
  readonly next_at: Date;
  readonly slowed_until: Date | null;
}

type Use<T> = (slots: Slots) => Promise<{ used: number; result: T }>;

/** For an unrestricted number: there is nothing to share, and no lock is taken. */
export async function withFreeSlots<T>(
  want: number,
  use: Use<T>,
): Promise<{ slots: Slots; result: T }> {
  const slots = { count: want, firstInMs: 0, intervalMs: 0 };
  return { slots, result: (await use(slots)).result };
}

/**
 * Leases slots that all processes share through the rows of `pacers`. In the same transaction, `use` returns how many
 * it needed; the others become free again.
 */
export async function withSlots<T>(
  sql: Sql,
  pace: Pace,
  want: number,
  use: Use<T>,
): Promise<{ slots: Slots; result: T }> {
  const { rows, now } = await lockLanes(sql, pace);
  const lanes = lanesOf(pace, rows, now);
  if (lanes.size === 0) return withFreeSlots(want, use);
  const leased = lease([...lanes.values()], want, now.getTime());
  const slots = {
    count: leased.count,
    firstInMs: leased.startAt - now.getTime(),
    intervalMs: leased.intervalMs,
  };
  const { used, result } = await use(slots);
  if (used > 0) {
    await sql.rows(
      `insert into pacers (organization_id, number_id, lane, next_at)
       select $1, $2, * from unnest($3::text[], $4::timestamptz[])
       on conflict (organization_id, number_id, lane) do update set next_at = excluded.next_at`,
      [
        pace.organizationId,
        pace.numberId,
        [...lanes.keys()],
        [...lanes.values()].map((lane) => new Date(afterLease(lane, leased, used))),
      ],
      'pacer-take',
    );
  }
  return { slots, result };
}

const lockRows = (sql: Sql, { organizationId, numberId, lanes }: Pace): Promise<PacerRow[]> =>
  sql.rows<PacerRow>(
    `select lane, next_at, slowed_until from pacers
     where organization_id = $1 and number_id = $2 and lane = any($3::text[]) order by lane for update`,
    [organizationId, numberId, [NUMBER_LANE, ...lanes.map(({ name }) => name)]],
    'pacer-lock',
  );

/** A lane without a row cannot be locked, and several processes would start it at once. */
async function addMissing(sql: Sql, pace: Pace, rows: readonly PacerRow[]): Promise<boolean> {
  const needed = pace.lanes.map(({ name }) => name);
  if (pace.ceilingPerMinute !== null) needed.push(NUMBER_LANE);
  const missing = needed.filter((name) => !rows.some(({ lane }) => lane === name)).sort();
  if (missing.length === 0) return false;
  await sql.rows(
    `insert into pacers (organization_id, number_id, lane, next_at)
     select $1, $2, lane, to_timestamp(0) from unnest($3::text[]) as lane on conflict do nothing`,
    [pace.organizationId, pace.numberId, missing],
    'pacer-add',
  );
  return true;
}

/** Whether nothing limits the number, at any time. */
const isFree = ({ ceilingPerMinute, lanes }: Pace, rows: readonly PacerRow[]): boolean =>
  ceilingPerMinute === null &&
  lanes.length === 0 &&
  rows.every(({ slowed_until: until }) => until === null);

async function lockLanes(sql: Sql, pace: Pace): Promise<{ rows: PacerRow[]; now: Date }> {
  let rows = await lockRows(sql, pace);
  if (await addMissing(sql, pace, rows)) rows = await lockRows(sql, pace);
  // Read after the locks are taken, so that waiting for them is not counted as elapsed.
  if (pace.clock) return { rows, now: pace.clock.now() };
  if (isFree(pace, rows)) return { rows, now: new Date() };
  const clock = await first<{ now: Date }>(sql, 'select clock_timestamp() as now', [], 'db-clock');
  return { rows, now: clock?.now ?? new Date() };
}

function lanesOf(pace: Pace, rows: readonly PacerRow[], now: Date): Map<string, Lane> {
  const row = (lane: string) => rows.find((each) => each.lane === lane);
  const nextAt = (lane: string): number => row(lane)?.next_at.getTime() ?? 0;
  const lanes = new Map<string, Lane>();
  const slowedUntil = row(NUMBER_LANE)?.slowed_until ?? null;
  const ceiling = ceilingNow(pace.ceilingPerMinute, slowedUntil, now);
  if (ceiling !== null) lanes.set(NUMBER_LANE, { perMinute: ceiling, nextAt: nextAt(NUMBER_LANE) });
  for (const lane of pace.lanes) {
    const { name, catchesUp = false } = lane;
    const perMinute = 'perMinute' in lane ? lane.perMinute : ceiling && ceiling * lane.share;
    if (perMinute !== null) lanes.set(name, { perMinute, nextAt: nextAt(name), catchesUp });
  }
  return lanes;
}

const SLOWED_MS = 60_000;
const LONGEST_HOLD_MS = 8_000;

/** Nothing is sent on the number for a while. */
export interface Hold {
  readonly retryAfterMs: number;
  /** WhatsApp told the number to slow down: afterwards it starts at half its ceiling. */
  readonly slows: boolean;
}

/** With each time in a row the wait doubles, up to 8 seconds more than asked for. */
export const holdNumber = (
  sql: Sql,
  { organizationId, numberId }: OfNumber,
  { retryAfterMs, slows }: Hold,
): Promise<unknown> =>
  sql.rows(
    `insert into pacers as p (organization_id, number_id, lane, next_at, held_until, slowed_until, slowed_since, refusals)
     values ($1, $2, '${NUMBER_LANE}', now(), now() + $3 * interval '1 ms', now() + $4 * interval '1 ms',
       case when $4::float8 is not null then now() end, 1)
     on conflict (organization_id, number_id, lane) do update set
       held_until = greatest(p.held_until,
         now() + greatest($3, least($5, 1000 * 2 ^ least(p.refusals, 10))) * interval '1 ms'),
       slowed_since = case when p.slowed_until > now() then coalesce(p.slowed_since, excluded.slowed_since)
         else coalesce(excluded.slowed_since, p.slowed_since) end,
       slowed_until = coalesce(excluded.slowed_until, p.slowed_until),
       refusals = p.refusals + 1`,
    [organizationId, numberId, retryAfterMs, slows ? SLOWED_MS : null, LONGEST_HOLD_MS],
  );

/** WhatsApp accepts messages from the number again. */
export const numberAnswered = (sql: Sql, pace: OfNumber): Promise<unknown> =>
  sql.rows(
    `update pacers set refusals = 0
     where organization_id = $1 and number_id = $2 and lane = '${NUMBER_LANE}' and refusals > 0`,
    [pace.organizationId, pace.numberId],
  );
