import type { ReadContext } from '../context.ts';
import { AppError, notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { nextBirthday } from './birthdays.ts';
import { presentReminder, presentRun } from './present.ts';
import { type ReminderRow, selectReminder, selectReminders, selectRuns } from './queries.ts';
import type { ReminderFilters, ReminderView, RunView } from './schema.ts';

type Reading = Pick<ReadContext, 'sql' | 'organizationId' | 'actor' | 'now'>;

/** Throws 404 where the actor sees none of this id. */
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

/** A page of heavy segments must not hold a connection for minutes: the rest shows what was last known. */
const LOOKING_UP_MS = 2_000;

/** Newest first. */
export async function listRuns(
  ctx: ReadContext,
  reminderId: string,
  page: PageRequest,
): Promise<PageOf<RunView>> {
  const known = await selectReminder(ctx, reminderId);
  if (!known) throw notFound('reminder');
  return pageOf(await selectRuns(ctx, reminderId, page), page, presentRun);
}

/**
 * Birthdays come and go with the contacts, so the next one is looked up now; a segment that has become too
 * heavy to ask keeps what was last known.
 */
async function view(ctx: Reading, row: ReminderRow): Promise<ReminderView> {
  if (row.target !== 'birthday' || row.status !== 'active') return presentReminder(row);
  try {
    return presentReminder(row, await nextBirthday(ctx, row));
  } catch (error) {
    if (error instanceof AppError && error.code === 'segment_too_heavy')
      return presentReminder(row);
    throw error;
  }
}
