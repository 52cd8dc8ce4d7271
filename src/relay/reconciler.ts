import { forEachLimited } from '../concurrency.ts';
import { type Database, sqlOver } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { MINUTE_MS } from '../durations.ts';
import { overdueDrains } from '../webhooks/lanes/backlog/drains.ts';
import { overdueRetries } from '../webhooks/lanes/retries/overdue.ts';
import {
  type Start,
  startCampaign,
  startDeactivation,
  startDelivery,
  startDrain,
  startImport,
  startReminder,
  startRun,
} from './reactions.ts';
import type { TemporalCalls } from './temporal-calls.ts';

export interface ReconcilerParts {
  readonly database: Pick<Database, 'system'>;
  readonly calls: TemporalCalls;
  /** Milliseconds by a clock that is never set; this process's by default. */
  readonly elapsed?: () => number;
}

const PAGE = 100;
const AT_ONCE = 16;
/** A retry this late has lost its workflow, or waits for a worker; then starting it again is harmless. */
const OVERDUE_MS = 20_000;
/**
 * Whoever was woken has looked, or waits for an activity that keeps failing, and can go on in no new run meanwhile: with
 * each further wake its history grows, until no worker replays it within the time of a task.
 */
const WAKE_AGAIN_MS = 5 * MINUTE_MS;

/**
 * Open ones, paused ones that may have sends under way, and cancelled ones whose last sends have had time to get an
 * outcome. The first condition is an index's.
 */
const CAMPAIGNS = `
  select organization_id as "organizationId", id,
    status = 'scheduled' and send_at < now() - interval '20 seconds' as "isOverdue" from campaigns
  where (status in ('scheduled', 'sending') or unsettled)
    and (status = 'sending' and started_at < now() - interval '5 seconds'
      or status = 'scheduled' and send_at < now() + interval '1 day'
      or status = 'paused'
      or status = 'cancelled' and finished_at < now() - interval '20 seconds')
    and id > $1
  order by id limit $2`;

const IMPORTS = `
  select organization_id as "organizationId", id from contact_imports
  where status in ('pending', 'running') and created_at < now() - interval '5 seconds' and id > $1
  order by id limit $2`;

/**
 * Runs with due steps that no one takes: whoever began has died, or the run's workflow is lost. A run that waits for
 * a condition checks every quarter of an hour. Each part names the condition of its index, so that it reads no other
 * run, however many were ever kept.
 */
const RUNS = `
  select "organizationId", id from (
    select organization_id as "organizationId", id from automation_runs
    where (status = 'running' or waits_for = 'condition') and status = 'running'
      and moved_at < now() - interval '5 seconds' and coalesce(lease_until < now() - interval '5 seconds', true)
    union
    select organization_id, id from automation_runs
    where status = 'waiting' and wait_until < now() - interval '20 seconds'
    union
    select organization_id, id from automation_runs
    where (status = 'running' or waits_for = 'condition') and waits_for = 'condition'
      and moved_at < now() - interval '20 minutes') overdue
  where id > $1
  order by id limit $2`;

/** Reminders whose workflow should have checked and did not; sleeping ones are not read, however many there are. */
const REMINDERS = `
  select organization_id as "organizationId", id, looks_at as "looksAt" from reminders
  where looks_at < now() - interval '20 seconds' and (looks_at, id) > ($1, $2)
  order by looks_at, id limit $3`;

/** Deactivated with their runs, some of which are left. */
const STOPPING = `
  select organization_id as "organizationId", id from automations
  where stopped_version is not null and id > $1
  order by id limit $2`;

interface Ids {
  readonly organizationId: string;
  readonly id: string;
}

/** Each call reads the page after the last one, and begins again after the end. */
function inPages<R, K>(
  beginning: K,
  read: (sql: Sql, after: K) => Promise<R[]>,
  keyOf: (row: R) => K,
): (sql: Sql) => Promise<R[]> {
  let after = beginning;
  return async (sql) => {
    const rows = await read(sql, after);
    const last = rows.length === PAGE ? rows.at(-1) : undefined;
    after = last ? keyOf(last) : beginning;
    return rows;
  };
}

const byId = <R extends Ids = Ids>(text: string, name: string) =>
  inPages<R, string>(
    '',
    (sql, after) => sql.rows(text, [after, PAGE], name),
    ({ id }) => id,
  );

/** Starts what is missing, and wakes what runs, each at most every five minutes. */
function sparingWaker(
  { perform }: TemporalCalls,
  elapsed: () => number,
): (next: Start) => Promise<void> {
  const wokenAt = new Map<string, number>();
  return async (next) => {
    const now = elapsed();
    // The oldest come first.
    for (const [id, at] of wokenAt) {
      if (now - at < WAKE_AGAIN_MS) break;
      wokenAt.delete(id);
    }
    if (wokenAt.has(next.workflowId)) return perform({ kind: 'start', ...next });
    await perform({ kind: 'startOrWake', ...next });
    wokenAt.set(next.workflowId, now);
  };
}

/**
 * Compares rows with running workflows, page by page, and starts what is missing; starting a running one is refused.
 * What is overdue is also woken: its workflow may be asleep for a later time that the row had before, as after a
 * restore. This repairs a lost wake, a terminated workflow, even an emptied Temporal. Each call does one round: a page
 * of each kind.
 */
export function createReconciler({
  database,
  calls,
  elapsed = () => performance.now(),
}: ReconcilerParts): () => Promise<void> {
  const startOrWake = sparingWaker(calls, elapsed);
  const campaigns = byId<Ids & { readonly isOverdue: boolean }>(CAMPAIGNS, 'open-campaigns');
  const imports = byId(IMPORTS, 'open-imports');
  const runs = byId(RUNS, 'overdue-runs');
  const stopping = byId(STOPPING, 'stopping');
  const reminders = inPages<Ids & { readonly looksAt: Date }, readonly [Date | string, string]>(
    ['-infinity', ''],
    (sql, after) => sql.rows(REMINDERS, [...after, PAGE], 'overdue-reminders'),
    ({ looksAt, id }) => [looksAt, id],
  );
  const retries = inPages(
    '',
    (sql, after) => overdueRetries(sql, OVERDUE_MS, after, PAGE),
    ({ deliveryId }) => deliveryId,
  );
  const drains = inPages(
    '',
    (sql, after) => overdueDrains(sql, OVERDUE_MS, after, PAGE),
    ({ endpointId }) => endpointId,
  );

  return async () => {
    const sql = sqlOver(database.system);
    const due = Map.groupBy(await campaigns(sql), ({ isOverdue }) => isOverdue);
    const overdue: Start[] = [
      ...(await runs(sql)).map((row) => startRun(row.organizationId, row.id)),
      ...(due.get(true) ?? []).map((row) => startCampaign(row.organizationId, row.id)),
      ...(await reminders(sql)).map((row) => startReminder(row.organizationId, row.id)),
      ...(await retries(sql)).map((row) => startDelivery(row.organizationId, row)),
      ...(await drains(sql)).map((row) => startDrain(row.organizationId, row.endpointId)),
    ];
    const open: Start[] = [
      ...(due.get(false) ?? []).map((row) => startCampaign(row.organizationId, row.id)),
      ...(await imports(sql)).map((row) => startImport(row.organizationId, row.id)),
      ...(await stopping(sql)).map((row) => startDeactivation(row.organizationId, row.id)),
    ];
    const work = [
      ...overdue.map((next) => () => startOrWake(next)),
      ...open.map((next) => () => calls.perform({ kind: 'start', ...next })),
    ];
    await forEachLimited(AT_ONCE, work, (ask) => ask());
  };
}
