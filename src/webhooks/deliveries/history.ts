import { asSystem, asSystemAtLength, type Database } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { isState, LOCK_TIMEOUT } from '../../db/sqlstates.ts';
import { unavailable } from '../../errors.ts';
import { isOf } from '../lanes/rows.ts';

/** The result of one run. */
export interface Tidied {
  /** Ranges of days whose partitions were dropped, or replaced by what must be kept of them. */
  readonly ranges: number;
  /** Kept deliveries that ended 30 days ago and were deleted now. */
  readonly ended: number;
  readonly finished: boolean;
}

/** The days from `first` until before `past`, and whether ended deliveries are kept too. */
interface Step {
  readonly first: string;
  readonly past: string;
  readonly everything: boolean;
}

/** The UTC day before which history ends, by the database's clock, as for the partitions ahead. */
const OVER = `(now() at time zone 'UTC')::date - 30`;

const ENDED_DAYS = `
  select r.first::text, r.past::text, false as everything from wms.history_ranges() r
  where not r.kept and r.past <= ${OVER} group by 1, 2 order by 1`;

/** What was kept of single days is merged once their month is over, so that partitions stay few. */
const ENDED_MONTHS = `
  select m.first::date::text, (m.first + interval '1 month')::date::text as past, true as everything
  from (select date_trunc('month', r.first) as first, count(distinct r.first) as parts from wms.history_ranges() r
    where r.kept group by 1) m
  where m.parts > 1 and (m.first + interval '1 month')::date <= ${OVER} order by 1`;

const EMPTY_RANGES = `
  select r.first::text, r.past::text, true as everything from wms.history_ranges() r
  where r.kept and r.parent = 'webhook_deliveries'
    and not exists (select from webhook_deliveries d where d.day >= r.first and d.day < r.past) order by 1`;

/**
 * Drops days of `events`, `webhook_deliveries` and `webhook_attempts` that are more than 30 days old (specification,
 * Receiving rules 6). A delivery that is held, pending or retrying is kept under its id and day, with its event and
 * attempts; once it has ended, it stays for 30 more days. Every step is its own transaction, so a run may stop
 * anywhere. Throws `unavailable` while another process does the same. If somebody reads the tables at length, as a backup
 * does, no partition is replaced: a later hour will do, and whoever waits for them keeps all webhooks waiting.
 *
 * @param mayGoOn asked before each step; `finished` is false once it returned false
 */
export async function dropHistory(
  database: Pick<Database, 'system'>,
  mayGoOn: () => boolean,
): Promise<Tidied> {
  let stopped = false;
  const goOn = (): boolean => {
    stopped ||= !mayGoOn();
    return !stopped;
  };
  const run = { mayGoOn: goOn, inUse: false };
  const days = await replaceEach(database, ENDED_DAYS, run);
  const ended = await deleteAllEnded(database, goOn);
  const months = await replaceEach(database, ENDED_MONTHS, run);
  const empty = await replaceEach(database, EMPTY_RANGES, run);
  return { ranges: days + months + empty, ended, finished: !stopped };
}

interface Run {
  readonly mayGoOn: () => boolean;
  /** The tables could not be had. */
  inUse: boolean;
}

/**
 * @returns how many ranges were replaced
 */
async function replaceEach(
  database: Pick<Database, 'system'>,
  find: string,
  run: Run,
): Promise<number> {
  const steps = await asSystem(database, (sql) => sql.rows<Step>(find));
  let replaced = 0;
  for (const step of steps) {
    if (run.inUse || !run.mayGoOn()) break;
    try {
      await asSystemAtLength(database, REPLACE_MS, (sql) => replace(sql, step));
      replaced += 1;
    } catch (error) {
      if (!isState(error, LOCK_TIMEOUT)) throw error;
      run.inUse = true;
    }
  }
  return replaced;
}

/** Most of it copies rows while everyone else keeps working. */
const REPLACE_MS = 600_000;
const BUSY = 'The history of webhooks is being worked on. Try again shortly.';

async function replace(sql: Sql, { first: from, past, everything }: Step): Promise<void> {
  const keep = 'select wms.keep_history($1, $2, $3) as done';
  const row = await first<{ done: boolean }>(sql, keep, [from, past, everything]);
  if (!row?.done) throw unavailable(BUSY);
}

async function deleteAllEnded(
  database: Pick<Database, 'system'>,
  mayGoOn: () => boolean,
): Promise<number> {
  let all = 0;
  while (mayGoOn()) {
    const ended = await asSystem(database, deleteEnded);
    if (ended === 0) break;
    all += ended;
  }
  return all;
}

const CHUNK = 2_000;

const DELETE_ENDED = `
  delete from webhook_deliveries d
  where (d.day, d.id) in (select o.day, o.id from webhook_deliveries o
    where o.day < ${OVER} and o.finished_at < now() - interval '30 days' limit ${CHUNK})
    and d.finished_at < now() - interval '30 days'
  returning d.day::text, d.id, d.event_id as "eventId"`;

const DELETE_ATTEMPTS = `
  delete from webhook_attempts where day = any($1::date[]) and delivery_id = any($2)`;

/** A separate statement, because only now does it see that the earlier deliveries are gone. */
const DELETE_EVENTS = `
  delete from events v where v.day = any($1::date[]) and v.id = any($2)
    and not exists (select from webhook_deliveries d where d.day = v.day and ${isOf('v.id')})`;

/** Deletes a chunk of kept deliveries that ended 30 days ago. */
async function deleteEnded(sql: Sql): Promise<number> {
  type Ended = { readonly day: string; readonly id: string; readonly eventId: string };
  const ended = await sql.rows<Ended>(DELETE_ENDED);
  if (ended.length === 0) return 0;
  const days = [...new Set(ended.map((row) => row.day))];
  await sql.rows(DELETE_ATTEMPTS, [days, ended.map((row) => row.id)]);
  await sql.rows(DELETE_EVENTS, [days, ended.map((row) => row.eventId)]);
  return ended.length;
}
