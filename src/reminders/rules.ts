import type { FieldProblem } from '../errors.ts';

/** To whom a reminder goes (specification, Reminder). */
export const TARGETS = ['contact', 'group', 'segment', 'phone', 'birthday'] as const;
type Target = (typeof TARGETS)[number];

export const REPEATS = ['once', 'daily', 'weekdays', 'weekly', 'monthly', 'yearly'] as const;
type Repeat = (typeof REPEATS)[number];

export const REMINDER_STATUSES = ['active', 'done', 'cancelled'] as const;

/** Why a reminder was cancelled: somebody did it, or whom it went to is no more. */
export const CANCEL_REASONS = ['requested', 'target_removed'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];

/** The five of design decisions §10, and `running` for one that is under way. */
export const RUN_STATUSES = ['running', 'sent', 'partial', 'failed', 'skipped', 'missed'] as const;

/** What says when; `date` and `ends_on` are `YYYY-MM-DD`, `weekday` is 1 for Monday to 7 for Sunday. */
export interface When {
  readonly repeat: Repeat;
  readonly date: string | null;
  /** `HH:MM` on the clocks of `time_zone`. */
  readonly time: string;
  readonly weekday: number | null;
  readonly month_day: number | null;
  /** IANA. */
  readonly time_zone: string;
  /** The last day on which it may run. */
  readonly ends_on: string | null;
}

/** What says to whom. */
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

/** Everybody has a day of their own, so a birthday reminder names none. */
const BIRTHDAY: Use = { required: [], optional: ['ends_on'] };

const repeatUse = ({ target, repeat }: Pick<ToWhom & When, 'target' | 'repeat'>): Use =>
  target === 'birthday' ? BIRTHDAY : BY_REPEAT[repeat];

/** Which fields a target and a repeat need and do not take (design decisions §10). */
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

/**
 * A reminder after a change. What the change leaves out stays, unless the new target or repeat has no use
 * for it.
 */
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

/** 0 is JavaScript's Sunday and 7 the standard's; all other days agree. */
export const isoWeekday = (weekday: number | null): number | null => (weekday === 0 ? 7 : weekday);

/** A birthday reminder is looked at every day, and runs on those on which somebody has one. */
export const sweepOf = <T extends ToWhom & When>(reminder: T): T =>
  reminder.target === 'birthday' ? { ...reminder, repeat: 'daily', date: null } : reminder;

/** So late a run still begins; then it is missed (design decisions §10). */
export const GRACE_MS = 60 * 60_000;

/** What the workflow needs to know of its reminder. */
export interface ReminderProgress {
  readonly stage: 'sleeping' | 'waiting' | 'running' | 'done' | 'cancelled' | 'gone';
  /** Milliseconds until there is something to look at; 0 when there is now, or nothing ever. */
  readonly waitMs: number;
  /** Of one that sleeps: milliseconds until its next run, which the workflow looks at somewhat later. */
  readonly dueMs?: number;
  /** Of the run under way: those not sent to yet. */
  readonly left: number;
}

/** Recipients of one run by what became of them. */
export interface Tally {
  readonly sent: number;
  readonly failed: number;
  readonly unconfirmed: number;
  /** Whoever was not written to: excluded, or left out by a cancellation. */
  readonly passed: number;
}

/** What a run is called when everybody in it is settled. */
export function endOf({ sent, failed, unconfirmed, passed }: Tally): (typeof RUN_STATUSES)[number] {
  if (sent > 0) return failed + unconfirmed + passed === 0 ? 'sent' : 'partial';
  return failed + unconfirmed > 0 ? 'failed' : 'skipped';
}

const FIRST_LOOK_MS = 2_000;
/** While people wait for room in the queue, which empties quickly. */
const FIRST_LOOK_FOR_ROOM_MS = 250;
const LAST_LOOK_MS = 10 * 60_000;

/**
 * Messages under way are looked at again after as long as they have been under way, so that few looks do.
 *
 * @param left so many have no message yet.
 */
export const nextLookMs = (sinceMs: number, left: number): number =>
  Math.min(Math.max(sinceMs, left > 0 ? FIRST_LOOK_FOR_ROOM_MS : FIRST_LOOK_MS), LAST_LOOK_MS);

const BEHIND_MS = 60_000;
const SPREAD_MS = 300_000;

/**
 * How long after its moment the workflow of a reminder looks: when the lane has long done what was due, and
 * each at another time, so that thousands of one minute are no storm. The same for a reminder each time.
 */
export function behindMs(reminderId: string): number {
  let hash = 0;
  for (const letter of reminderId) hash = (hash * 31 + letter.charCodeAt(0)) % 1_000_003;
  return BEHIND_MS + (hash % SPREAD_MS);
}
