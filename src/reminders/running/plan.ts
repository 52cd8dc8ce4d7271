import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { DAY_MS } from '../../durations.ts';
import { isTooHeavy } from '../../segments/time-limit.ts';
import { nextBirthday } from '../birthdays.ts';
import type { Content } from '../checks.ts';
import { behindMs } from '../rules.ts';
import type { Occurrence } from '../schedule.ts';

/** The next run of a reminder, as its row stores it; all null if there is none. */
export interface Plan {
  /** As the API shows it; for birthdays, the next one that someone has. */
  readonly next_run_at: Date | null;
  readonly due_day: string | null;
  readonly wakes_at: Date | null;
}

/**
 * The plan if the rule is due then. Throws 422 `segment_too_heavy` for birthdays of a segment that is too expensive.
 */
export async function planOf(
  tx: Context,
  content: Content,
  next: Occurrence | null,
): Promise<Plan> {
  if (!next) return { next_run_at: null, due_day: null, wakes_at: null };
  const shown = content.target === 'birthday' ? await shownBirthday(tx, content) : next.at;
  return { next_run_at: shown, due_day: next.day, wakes_at: next.at };
}

/** In a savepoint, because a segment that takes too long aborts the statement. */
export const shownBirthday = (tx: Context, content: Content): Promise<Date | null> =>
  transact(tx, (inner) => nextBirthday(inner, content));

/** The plan of a reminder, as `planOf`, where no one can be told that its segment is too expensive: then no next run is shown. */
export async function planAfter(
  tx: Context,
  content: Content,
  next: Occurrence | null,
): Promise<Plan> {
  try {
    return await planOf(tx, content, next);
  } catch (error) {
    if (!isTooHeavy(error)) throw error;
    return { next_run_at: null, due_day: next?.day ?? null, wakes_at: next?.at ?? null };
  }
}

/**
 * Writes the plan, in the caller's transaction.
 *
 * @param looksAt when its workflow is expected to check, unless it has set that itself; derived from the run by
 * default
 */
export const keepPlan = (
  { sql, organizationId }: Context,
  id: string,
  { next_run_at, due_day, wakes_at }: Plan,
  looksAt: Date | null = wakes_at,
): Promise<unknown> =>
  sql.rows(
    `update reminders set next_run_at = $3, due_day = $4, wakes_at = $5, looks_at = coalesce(looks_at, $6)
     where organization_id = $1 and id = $2`,
    [organizationId, id, next_run_at, due_day, wakes_at, looksAt],
  );

/** When the workflow of a new reminder should check; the lane acts on what is due before that. */
export const firstLook = (id: string, { wakes_at: at }: Plan): Date | null =>
  at && new Date(at.getTime() + behindMs(id));

/** Time zone rules change, so anything further away is computed again. */
const LONGEST_SLEEP_MS = 30 * DAY_MS;

/** Until when Temporal keeps it asleep. */
export const asleepUntil = (look: Date, now: Date): Date =>
  new Date(Math.min(look.getTime(), now.getTime() + LONGEST_SLEEP_MS));
