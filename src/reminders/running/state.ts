import type { Signature } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import type { NumberStatus } from '../../numbers/rules.ts';
import type { Content } from '../checks.ts';
import type { REMINDER_STATUSES } from '../rules.ts';

/** A reminder as those who run it see it. */
export interface Standing extends Content {
  readonly id: string;
  readonly status: (typeof REMINDER_STATUSES)[number];
  readonly next_run_at: Date | null;
  /** `YYYY-MM-DD` in its zone. */
  readonly due_day: string | null;
  readonly created_by: Signature;
}

/** The columns of a `Standing`, of the reminder `r`. */
export const STANDING = `r.id, r.status, r.title, r.text, r.target, r.contact_id, r.group_id, r.segment_id, r.phone,
  r.number_id, r.repeat, r.date, r.time, r.weekday, r.month_day, r.time_zone, r.ends_on, r.transactional, r.next_run_at,
  r.due_day, r.created_by`;

/** One whose row is locked. */
export interface Locked extends Standing {
  /** When it was to be looked at. */
  readonly wakes_at: Date | null;
}

/** What a run sends: the reminder's content when the run began. */
export type RunContent = Pick<
  Content,
  | 'target'
  | 'contact_id'
  | 'group_id'
  | 'segment_id'
  | 'phone'
  | 'number_id'
  | 'text'
  | 'transactional'
>;

/** A run in progress. */
export interface OpenRun {
  readonly id: string;
  readonly scheduled_for: Date;
  readonly started_at: Date;
  readonly day: string;
  readonly content: RunContent;
  readonly frozen_at: Date | null;
  readonly frozen_through: string | null;
  readonly queued_at: Date | null;
}

/** Locked until the transaction ends: one step at a time, and no change meanwhile. */
export const lockReminder = (
  { sql, organizationId }: Context,
  id: string,
): Promise<Locked | null> =>
  first(
    sql,
    `select ${STANDING}, r.wakes_at from reminders r where r.organization_id = $1 and r.id = $2 for no key update`,
    [organizationId, id],
  );

/** The earliest unfinished run; null if there is none. */
export const openRunOf = (
  { sql, organizationId }: Context,
  reminderId: string,
): Promise<OpenRun | null> =>
  first(
    sql,
    `select id, scheduled_for, started_at, day, content, frozen_at, frozen_through, queued_at from reminder_runs
     where organization_id = $1 and reminder_id = $2 and status = 'running' order by scheduled_for limit 1`,
    [organizationId, reminderId],
  );

/** The last local day whose run began; null if there is none. */
export const lastDayOf = async (
  { sql, organizationId }: Context,
  reminderId: string,
): Promise<string | null> => {
  const row = await first<{ day: string | null }>(
    sql,
    `select max(day) as day from reminder_runs
     where organization_id = $1 and reminder_id = $2 and status <> 'missed'`,
    [organizationId, reminderId],
  );
  return row?.day ?? null;
};

/** When the lane must check next; null if there is nothing left to do. */
export const wakeAt = (
  { sql, organizationId }: Context,
  id: string,
  at: Date | null,
): Promise<unknown> =>
  sql.rows('update reminders set wakes_at = $3 where organization_id = $1 and id = $2', [
    organizationId,
    id,
    at,
  ]);

/** When the workflow checks next; null if it will not. */
export const looksAt = (
  { sql, organizationId }: Context,
  id: string,
  at: Date | null,
): Promise<unknown> =>
  sql.rows(
    'update reminders set looks_at = $3 where organization_id = $1 and id = $2',
    [organizationId, id, at],
    'reminder-looks-at',
  );

/** How many people of its run have no message yet. */
export async function leftOf(
  { sql, organizationId }: Context,
  reminderId: string,
): Promise<number> {
  const row = await first<{ left: number }>(
    sql,
    `select count(*) as left from reminder_recipients where organization_id = $1 and reminder_id = $2 and status = 'pending'`,
    [organizationId, reminderId],
  );
  return row?.left ?? 0;
}

/** A number with what a run needs to know. */
interface RunNumber {
  readonly status: NumberStatus;
  readonly hasWindow: boolean;
  /** Since when it cannot send, if it cannot. */
  readonly downSince: Date;
}

export const numberOf = ({ sql, organizationId }: Context, id: string): Promise<RunNumber | null> =>
  first(
    sql,
    `select status, window_24h as "hasWindow", coalesce(down_since, status_changed_at) as "downSince" from numbers where organization_id = $1 and id = $2`,
    [organizationId, id],
  );
