import { DAY_MS, HOUR_MS } from '../durations.ts';
import { type AppError, invalidState } from '../errors.ts';

export const AUTOMATION_STATUSES = ['draft', 'active', 'inactive'] as const;
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number];

/** What happens to runs in progress when an automation is deactivated (specification, deactivate body). */
export const IN_PROGRESS = ['finish', 'cancel'] as const;
export type InProgress = (typeof IN_PROGRESS)[number];

export const RUN_STATUSES = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
  'handed_over',
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

/** The states of a run that has not ended. A contact has at most one such run per automation. */
const ACTIVE_RUN_STATUSES = ['running', 'waiting'] as const satisfies readonly RunStatus[];

export const RUN_STEP_STATUSES = [
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunStatus[];

/** Why a run failed (design decisions §9). */
export const RUN_ERRORS = [
  'send_failed',
  'out_of_window',
  'number_unavailable',
  'http_failed',
  'ai_failed',
  'invalid_answer',
  'loop_detected',
  'definition_error',
  'timeout',
] as const;

/** Whether activating publishes a new version, rather than changing nothing (design decisions §9). */
export const publishes = (status: AutomationStatus, edited: boolean): boolean =>
  status !== 'active' || edited;

/** 409 for one that was never published; null if it can be deactivated, or already is. */
export const deactivationRefusal = (status: AutomationStatus): AppError | null =>
  status === 'draft' ? invalidState(status, ['active', 'inactive']) : null;

/** 409 for a run that has ended. */
export const runCancelRefusal = (status: RunStatus): AppError | null =>
  ACTIVE_RUN_STATUSES.some((active) => active === status)
    ? null
    : invalidState(status, ACTIVE_RUN_STATUSES);

/** The longest time a run may last. */
export const LONGEST_RUN_MS = 400 * DAY_MS;
/** How many steps a run may take between two messages from the person (design decisions §9, Loop guard). */
export const MOST_STEPS_WITHOUT_INPUT = 100;
/** How deep runs may be nested that were started by other runs. */
export const DEEPEST = 5;
/** The longest time a run may wait at one step. */
export const LONGEST_WAIT_MS = 365 * DAY_MS;
/** How long a person may leave the AI unanswered; what comes next still finds the window open. */
export const AI_SILENCE_MS = 23 * HOUR_MS;

const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;

/**
 * Milliseconds of an ISO 8601 duration in weeks, days, hours, minutes and seconds; null for anything else. Months and
 * years have no fixed length and are not accepted.
 */
export function durationMs(text: string): number | null {
  const match = DURATION.exec(text);
  if (!match) return null;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  return (weeks * 7 + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

export type RunError = (typeof RUN_ERRORS)[number];

/** A step that one of our services refused: its code, if runs have the same one. */
export const stepFailure = (code: string): RunError =>
  RUN_ERRORS.find((known) => known === code) ??
  (code === 'opted_out' ? 'send_failed' : 'definition_error');

/** What a run's workflow is told after each check. */
export interface RunProgress {
  /** `running`: there is more to do now. */
  readonly stage: RunStatus | 'gone';
  /** For a waiting run: milliseconds until there may be something to do. */
  readonly waitMs: number;
  readonly waitsFor: 'time' | 'reply' | 'condition' | 'nothing' | 'call' | null;
}
