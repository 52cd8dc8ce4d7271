import type { Context } from '../../context.ts';
import type { NumberStatus } from '../../numbers/rules.ts';
import type { ToWhom } from '../rules.ts';
import { STANDING, type Standing } from '../running/state.ts';

/** A due reminder, and its moment. */
export interface Beginning {
  readonly reminder: Due;
  readonly at: Date;
}

/** A due reminder, and the number it is sent from. */
export interface Due extends Standing {
  readonly numberStatus: NumberStatus;
  readonly hasWindow: boolean;
}

export interface Running {
  readonly reminderId: string;
  readonly id: string;
  readonly scheduled_for: Date;
  readonly started_at: Date;
  readonly queued_at: Date | null;
  readonly frozen_at: Date | null;
  readonly target: ToWhom['target'];
}

/** A reminder with a run in progress. */
export interface Ending {
  readonly reminder: Due;
  readonly run: Running;
}

// Whoever locks one of them advances it, so this does not wait for it.
const LOCK = `
select ${STANDING}, n.status as "numberStatus", n.window_24h as "hasWindow"
from reminders r join numbers n on n.organization_id = $1 and n.id = r.number_id
where r.organization_id = $1 and r.id = any($2::text[]) and r.wakes_at <= $3
order by r.id for no key update of r skip locked`;

/** Due reminders that no one else has locked, locked until the transaction ends. */
export const lockDue = (
  { sql, organizationId, now }: Context,
  ids: readonly string[],
): Promise<Due[]> => sql.rows<Due>(LOCK, [organizationId, ids, now], 'reminders-lock-due');

const OPEN = `
select reminder_id as "reminderId", id, scheduled_for, started_at, queued_at, frozen_at, content ->> 'target' as target
from reminder_runs
where organization_id = $1 and reminder_id = any($2::text[]) and status = 'running' order by scheduled_for`;

/** The runs in progress, by reminder. */
export async function openRunsOf(
  { sql, organizationId }: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Running[]>> {
  const rows = await sql.rows<Running>(OPEN, [organizationId, ids], 'reminders-open-runs');
  return Map.groupBy(rows, ({ reminderId }) => reminderId);
}

const WAKE = `
update reminders r set wakes_at = g.at
from unnest($2::text[], $3::timestamptz[]) g (id, at) where r.organization_id = $1 and r.id = g.id`;

/** When each is checked next. */
export async function wakeAtTogether(
  { sql, organizationId }: Context,
  looks: readonly { readonly id: string; readonly at: Date }[],
): Promise<void> {
  if (looks.length === 0) return;
  const params = [organizationId, looks.map(({ id }) => id), looks.map(({ at }) => at)];
  await sql.rows(WAKE, params, 'reminders-wake-at');
}
