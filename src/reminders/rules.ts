import { HOUR_MS } from '../durations.ts';
import type { FieldProblem } from '../errors.ts';

/** Who a reminder is for (specification, Reminder). */
export const TARGETS = ['contact', 'group', 'segment', 'phone', 'birthday'] as const;
type Target = (typeof TARGETS)[number];

/** Targets with a single recipient per run. */
export const isToOne = (target: Target): boolean =>
  target === 'contact' || target === 'phone' || target === 'group';

export const REPEATS = ['once', 'daily', 'weekdays', 'weekly', 'monthly', 'yearly'] as const;
type Repeat = (typeof REPEATS)[number];

export const REMINDER_STATUSES = ['active', 'done', 'cancelled'] as const;

/** Why a reminder was cancelled: on request, or because its recipient no longer exists. */
export const CANCEL_REASONS = ['requested', 'target_removed'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** The five of design decisions §10, and `running` for a run in progress. */
export const RUN_STATUSES = ['running', 'sent', 'partial', 'failed', 'skipped', 'missed'] as const;

/** What became of a recipient of a run: without a message yet, with one under way, or settled. */
export const RUN_RECIPIENT_STATUSES = [
  'pending',
  'queued',
  'sent',
  'failed',
  'unconfirmed',
  'skipped',
  'cancelled',
] as const;
export type RunRecipientStatus = (typeof RUN_RECIPIENT_STATUSES)[number];

/** The time rule; `date` and `ends_on` are `YYYY-MM-DD`, `weekday` is 1 for Monday to 7 for Sunday. */
export interface When {
  readonly repeat: Repeat;
  readonly date: string | null;
  /** `HH:MM`, local time in `time_zone`. */
  readonly time: string;
  readonly weekday: number | null;
  readonly month_day: number | null;
  /** IANA. */
  readonly time_zone: string;
  /** The last day on which it may run. */
  readonly ends_on: string | null;
}

/** The recipients. */
export interface ToWhom {
  readonly target: Target;
  readonly contact_id: string | null;
  readonly group_id: string | null;
  readonly segment_id: string | null;
  readonly phone: string | null;
}

const TARGET_FIELDS = ['contact_id', 'group_id', 'segment_id', 'phone'] as const;
const REPEAT_FIELDS = ['date', 'weekday', 'month_day', 'ends_on'] as const;
type Field = (typeof TARGET_FIELDS)[number] | (typeof REPEAT_FIELDS)[number];

interface Use {
  readonly required: readonly Field[];
  readonly optional: readonly Field[];
}

const BY_TARGET: Readonly<Record<Target, Use>> = {
  contact: { required: ['contact_id'], optional: [] },
  group: { required: ['group_id'], optional: [] },
  segment: { required: ['segment_id'], optional: [] },
  phone: { required: ['phone'], optional: [] },
  birthday: { required: [], optional: ['segment_id'] },
};

const BY_REPEAT: Readonly<Record<Repeat, Use>> = {
  once: { required: ['date'], optional: [] },
  daily: { required: [], optional: ['date', 'ends_on'] },
  weekdays: { required: [], optional: ['ends_on'] },
  weekly: { required: ['weekday'], optional: ['ends_on'] },
  monthly: { required: ['month_day'], optional: ['ends_on'] },
  yearly: { required: ['date'], optional: ['ends_on'] },
};

/** Each person has their own day, so a birthday reminder has no date. */
const BIRTHDAY: Use = { required: [], optional: ['ends_on'] };

const repeatUse = ({ target, repeat }: Pick<ToWhom & When, 'target' | 'repeat'>): Use =>
  target === 'birthday' ? BIRTHDAY : BY_REPEAT[repeat];

/** Which fields a target and a repetition require and which they do not accept (design decisions §10). */
export function fieldProblems(reminder: ToWhom & When): FieldProblem[] {
  const { target, repeat } = reminder;
  const whom = problemsOf(reminder, TARGET_FIELDS, BY_TARGET[target], `the target ${target}`);
  if (target === 'birthday' && repeat !== 'yearly') {
    const message = 'Birthdays come once a year: use yearly.';
    return [...whom, { path: 'repeat', rule: 'enum', allowed: ['yearly'], message }];
  }
  const by = target === 'birthday' ? 'birthdays' : `the repeat ${repeat}`;
  return [...whom, ...problemsOf(reminder, REPEAT_FIELDS, repeatUse(reminder), by)];
}

const problemsOf = (
  values: Readonly<Record<Field, unknown>>,
  fields: readonly Field[],
  { required, optional }: Use,
  by: string,
): FieldProblem[] =>
  fields.flatMap((path) => {
    if (values[path] === null) {
      if (!required.includes(path)) return [];
      return [{ path, rule: 'required', message: `This field is required for ${by}.` }];
    }
    if (required.includes(path) || optional.includes(path)) return [];
    return [{ path, rule: 'not_applicable', message: `There is no such field for ${by}.` }];
  });

/** Applies a change. Fields that it leaves out stay, unless the new target or repetition has no use for them. */
export function changed<T extends ToWhom & When>(before: T, change: Partial<T>): T {
  const after = { ...before, ...change };
  const whom = BY_TARGET[after.target];
  const when = repeatUse(after);
  const used = [...whom.required, ...whom.optional, ...when.required, ...when.optional];
  const dropped = [...TARGET_FIELDS, ...REPEAT_FIELDS].filter(
    (field) => !used.includes(field) && change[field] === undefined,
  );
  return { ...after, ...Object.fromEntries(dropped.map((field) => [field, null])) };
}

/** Sunday is 0 in JavaScript and 7 in the standard; all other days agree. */
export const isoWeekday = (weekday: number | null): number | null => (weekday === 0 ? 7 : weekday);

/** A birthday reminder is checked every day, and runs on days on which someone has a birthday. */
export const sweepOf = <T extends ToWhom & When>(reminder: T): T =>
  reminder.target === 'birthday' ? { ...reminder, repeat: 'daily', date: null } : reminder;

/** How late a run may still begin; after that it is missed (design decisions §10). */
export const GRACE_MS = HOUR_MS;

/** What the workflow needs to know about its reminder. */
export interface ReminderProgress {
  readonly stage: 'sleeping' | 'waiting' | 'running' | 'done' | 'cancelled' | 'gone';
  /** Milliseconds until there is something to check; 0 if there is now, or never will be. */
  readonly waitMs: number;
  /** While it sleeps: milliseconds until its next run; the workflow checks slightly later. */
  readonly dueMs?: number;
  /** Recipients of the current run not sent to yet. */
  readonly left: number;
}

/** Recipients of one run, by outcome. */
export interface Tally {
  readonly sent: number;
  readonly failed: number;
  readonly unconfirmed: number;
  /** Those not written to: excluded, or left out by a cancellation. */
  readonly passed: number;
}

/** The status of a run once all its recipients are settled. */
export function endOf({ sent, failed, unconfirmed, passed }: Tally): (typeof RUN_STATUSES)[number] {
  if (sent > 0) return failed + unconfirmed + passed === 0 ? 'sent' : 'partial';
  return failed + unconfirmed > 0 ? 'failed' : 'skipped';
}

const FIRST_LOOK_MS = 2_000;
/** While recipients wait for room in the queue, which empties quickly. */
const FIRST_LOOK_FOR_ROOM_MS = 250;
const LAST_LOOK_MS = 10 * 60_000;

/**
 * Messages in progress are checked again after half as long as they have been in progress, so that few checks are
 * needed and the end is noticed soon.
 *
 * @param left how many have no message yet
 */
export const nextLookMs = (sinceMs: number, left: number): number =>
  Math.min(Math.max(sinceMs / 2, left > 0 ? FIRST_LOOK_FOR_ROOM_MS : FIRST_LOOK_MS), LAST_LOOK_MS);

const BEHIND_MS = 60_000;
const SPREAD_MS = 300_000;

/**
 * How long after its moment a reminder's workflow checks: late enough that the lane has long done what was due, and
 * spread out, so that thousands due in the same minute do not check at once. Always the same for a reminder.
 */
export function behindMs(reminderId: string): number {
  let hash = 0;
  for (const letter of reminderId) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return BEHIND_MS + (hash % SPREAD_MS);
}
