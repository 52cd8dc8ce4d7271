import { visibleNumbers, visibleThrough } from '../access/visibility.ts';
import type { InWorkspace, Seeing } from '../context.ts';
import { type Bind, binding, equalBy, first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { RunRecipientStatus } from './rules.ts';
import type { ReminderFilters, ReminderView, RunRecipientView, RunView } from './schema.ts';

export type ReminderRow = Omit<ReminderView, 'next_run_at' | 'created_at'> & {
  readonly next_run_at: Date | null;
  readonly created_at: Date;
};

const REMINDER = `select r.id, r.title, r.text, r.target, r.contact_id, r.group_id, r.segment_id, r.phone, r.number_id,
    r.repeat, r.date, r.time, r.weekday, r.month_day, r.time_zone, r.status, r.next_run_at, r.created_at, r.ends_on,
    r.transactional, r.cancel_reason
  from reminders r where r.organization_id = $1`;

/** A reminder is visible to those who see its number, and the group it goes to. */
function visibleReminders(actor: Seeing['actor'], bind: Bind): string {
  const numbers = visibleNumbers(actor, 'n', bind);
  if (numbers === 'true') return '';
  return ` and exists (select from numbers n where n.organization_id = r.organization_id and n.id = r.number_id
      and ${numbers})
    and (r.group_id is null or exists (select from groups g where g.organization_id = r.organization_id
      and g.id = r.group_id and ${visibleThrough(actor, 'g', bind)}))`;
}

/**
 * @param lock keeps others from changing it meanwhile
 */
export function selectReminder(
  { sql, organizationId, actor }: Seeing,
  id: string,
  lock = false,
): Promise<ReminderRow | null> {
  const { params, bind } = binding(organizationId, id);
  const visible = visibleReminders(actor, bind);
  const text = `${REMINDER} and r.id = $2${visible}${lock ? ' for no key update of r' : ''}`;
  return first(sql, text, params);
}

/** Returns one row more than asked for if there is one. */
export function selectReminders(
  { sql, organizationId, actor }: Seeing,
  { status, target, number_id, contact_id, segment_id }: ReminderFilters,
  { limit, after }: PageRequest,
): Promise<ReminderRow[]> {
  const { params, bind } = binding(organizationId, limit + 1);
  const equal = equalBy(bind);
  const conditions = [
    ...(after ? [`r.id < ${bind(after.id)}`] : []),
    ...equal('r.status', status),
    ...equal('r.target', target),
    ...equal('r.number_id', number_id),
    ...equal('r.contact_id', contact_id),
    ...equal('r.segment_id', segment_id),
  ];
  const also = conditions.map((condition) => ` and ${condition}`).join('');
  const text = `${REMINDER}${also}${visibleReminders(actor, bind)}`;
  return sql.rows(`${text} order by r.id desc limit $2`, params);
}

/** The columns that a change may write; the next run is written by `keepPlan`. */
const CONTENT = `title, text, target, contact_id, group_id, segment_id, phone, number_id, repeat, date, time, weekday,
  month_day, time_zone, ends_on, transactional, updated_at`;

export const insertReminder = (
  { sql, organizationId }: InWorkspace,
  row: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  sql.rows(
    `insert into reminders (organization_id, id, status, created_by, cause_run_id, created_at, ${CONTENT})
     select $1, id, 'active', created_by, cause_run_id, created_at, ${CONTENT}
     from jsonb_populate_record(null::reminders, $2::jsonb)`,
    [organizationId, JSON.stringify(row)],
  );

export const updateReminder = (
  { sql, organizationId }: InWorkspace,
  id: string,
  row: Readonly<Record<string, unknown>>,
): Promise<unknown> =>
  sql.rows(
    `update reminders set (${CONTENT}) = (select ${CONTENT} from jsonb_populate_record(null::reminders, $3::jsonb))
     where organization_id = $1 and id = $2`,
    [organizationId, id, JSON.stringify(row)],
  );

export const showNextRun = (
  { sql, organizationId }: InWorkspace,
  id: string,
  nextRunAt: Date | null,
): Promise<unknown> =>
  sql.rows('update reminders set next_run_at = $3 where organization_id = $1 and id = $2', [
    organizationId,
    id,
    nextRunAt,
  ]);

export async function countActive({ sql, organizationId }: InWorkspace): Promise<number> {
  const row = await first<{ used: number }>(
    sql,
    "select count(*) as used from reminders where organization_id = $1 and status = 'active'",
    [organizationId],
  );
  return row?.used ?? 0;
}

export type RunRow = Omit<RunView, 'scheduled_for' | 'started_at'> & {
  readonly scheduled_for: Date;
  readonly started_at: Date | null;
};

const RUN = `select id, scheduled_for, started_at, status, recipients, sent, failed, reasons, unconfirmed, skipped, cancelled
  from reminder_runs where organization_id = $1 and reminder_id = $2`;

/** Returns one row more than asked for if there is one. */
export const selectRuns = (
  { sql, organizationId }: InWorkspace,
  reminderId: string,
  { limit, after }: PageRequest,
): Promise<RunRow[]> =>
  sql.rows(`${RUN} and ($3::text is null or id < $3) order by id desc limit $4`, [
    organizationId,
    reminderId,
    after?.id ?? null,
    limit + 1,
  ]);

export const selectRun = (
  { sql, organizationId }: InWorkspace,
  reminderId: string,
  id: string,
): Promise<RunRow | null> => first(sql, `${RUN} and id = $3`, [organizationId, reminderId, id]);

export type RunRecipientRow = Omit<RunRecipientView, 'group_id'> & {
  /** Once in a run: the contact or group that it was frozen with, or the reminder for a phone. */
  readonly id: string;
};

interface RunRecipientsAsked {
  readonly reminderId: string;
  /** What the run is for: its `scheduled_for`. */
  readonly at: Date;
  readonly status: RunRecipientStatus | undefined;
}

/** Returns one row more than asked for if there is one. */
export const selectRunRecipients = (
  { sql, organizationId }: InWorkspace,
  { reminderId, at, status }: RunRecipientsAsked,
  { limit, after }: PageRequest,
): Promise<RunRecipientRow[]> => {
  const { params, bind } = binding(organizationId, reminderId, at, limit + 1);
  const conditions = [
    ...(after ? [`recipient_key < ${bind(after.id)}`] : []),
    ...equalBy(bind)('status', status),
  ];
  const also = conditions.map((condition) => ` and ${condition}`).join('');
  return sql.rows(
    `select recipient_key as id, contact_id, status, reason, message_id from reminder_recipients
     where organization_id = $1 and reminder_id = $2 and scheduled_for = $3${also}
     order by recipient_key desc limit $4`,
    params,
  );
};
