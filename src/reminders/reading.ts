import type { ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { isTooHeavy } from '../segments/time-limit.ts';
import { nextBirthday } from './birthdays.ts';
import { presentReminder, presentRun, presentRunRecipient } from './present.ts';
import {
  type ReminderRow,
  type RunRow,
  selectReminder,
  selectReminders,
  selectRun,
  selectRunRecipients,
  selectRuns,
} from './queries.ts';
import type { RunRecipientStatus } from './rules.ts';
import { standingsOf } from './running/settling.ts';
import type { ReminderFilters, ReminderView, RunRecipientView, RunView } from './schema.ts';

type Reading = Pick<ReadContext, 'sql' | 'organizationId' | 'actor' | 'now'>;

/** Throws 404 if there is none with this id that the actor can see. */
export async function getReminder(ctx: Reading, id: string): Promise<ReminderView> {
  const row = await selectReminder(ctx, id);
  if (!row) throw notFound('reminder');
  return view(ctx, row);
}

/** As a change has just written it. */
export async function writtenReminder(ctx: Reading, id: string): Promise<ReminderView> {
  const row = await selectReminder(ctx, id);
  if (!row) throw notFound('reminder');
  return presentReminder(row);
}

/** Newest first. */
export async function listReminders(
  ctx: ReadContext,
  filters: ReminderFilters,
  page: PageRequest,
): Promise<PageOf<ReminderView>> {
  const rows = await selectReminders(ctx, filters, page);
  const views: ReminderView[] = [];
  const end = performance.now() + LOOKING_UP_MS;
  for (const row of rows)
    views.push(performance.now() < end ? await view(ctx, row) : presentReminder(row));
  return pageOf(views, page, (shown) => shown);
}

/**
 * A page with expensive segments must not hold a connection for minutes; beyond this, the last known values are
 * shown.
 */
const LOOKING_UP_MS = 2_000;

/** Newest first; of one in progress the recipients are counted. */
export async function listRuns(
  ctx: ReadContext,
  reminderId: string,
  page: PageRequest,
): Promise<PageOf<RunView>> {
  const known = await selectReminder(ctx, reminderId);
  if (!known) throw notFound('reminder');
  const rows = await selectRuns(ctx, reminderId, page);
  for (const [index, row] of rows.entries())
    if (row.status === 'running')
      rows[index] = { ...row, ...(await standingsOf(ctx, reminderId, row.scheduled_for)) };
  return pageOf(rows, page, presentRun);
}

/** A run by its row; its sums are those of the end. Throws 404 if the reminder cannot be seen or has no such run. */
export async function findRun(ctx: Reading, reminderId: string, id: string): Promise<RunRow> {
  if (!(await selectReminder(ctx, reminderId))) throw notFound('reminder');
  const row = await selectRun(ctx, reminderId, id);
  if (!row) throw notFound('run');
  return row;
}

/** Newest contact first. Throws 404 as `findRun` does. */
export async function listRunRecipients(
  ctx: ReadContext,
  { reminderId, runId, status }: RunRecipients,
  page: PageRequest,
): Promise<PageOf<RunRecipientView>> {
  const { scheduled_for: at } = await findRun(ctx, reminderId, runId);
  const rows = await selectRunRecipients(ctx, { reminderId, at, status }, page);
  return pageOf(rows, page, presentRunRecipient);
}

interface RunRecipients {
  readonly reminderId: string;
  readonly runId: string;
  readonly status?: RunRecipientStatus | undefined;
}

/**
 * Birthdays change with the contacts, so the next one is computed now; if the segment has become too expensive, the
 * last known one is shown.
 */
async function view(ctx: Reading, row: ReminderRow): Promise<ReminderView> {
  if (row.target !== 'birthday' || row.status !== 'active') return presentReminder(row);
  try {
    return presentReminder(row, await nextBirthday(ctx, row));
  } catch (error) {
    if (isTooHeavy(error)) return presentReminder(row);
    throw error;
  }
}
