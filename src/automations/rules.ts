import { type AppError, invalidState } from '../errors.ts';

export const AUTOMATION_STATUSES = ['draft', 'active', 'inactive'] as const;
export type AutomationStatus = (typeof AUTOMATION_STATUSES)[number];

/** What becomes of runs in progress when an automation is turned off (specification, deactivate body). */
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

/** The states from which a run goes on; a contact has one such run of an automation at most. */
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

/** What activating does: nothing, or a new version of which new runs are made (design decisions §9). */
export const publishes = (status: AutomationStatus, edited: boolean): boolean =>
  status !== 'active' || edited;

/** 409 for what was never published; null for what can be turned off, or is off already. */
export const deactivationRefusal = (status: AutomationStatus): AppError | null =>
  status === 'draft' ? invalidState(status, ['active', 'inactive']) : null;

/** 409 for a run that has ended. */
export const runCancelRefusal = (status: RunStatus): AppError | null =>
  ACTIVE_RUN_STATUSES.some((active) => active === status)
    ? null
    : invalidState(status, ACTIVE_RUN_STATUSES);

const DAY_MS = 86_400_000;
/** A run may go on no longer. */
export const LONGEST_RUN_MS = 400 * DAY_MS;
/** Between two messages of the person a run takes no more (design decisions §9, Loop guard). */
export const MOST_STEPS_WITHOUT_INPUT = 100;
/** A run may be caused by a run that was caused by a run …: no deeper. */
export const DEEPEST = 5;
/** A run may wait no longer at one step. */
export const LONGEST_WAIT_MS = 365 * DAY_MS;
/** Free text may follow a person's message for this long (design decisions §22). */
export const WINDOW_MS = DAY_MS;
/** Somebody who does not answer a model for so long has left the talk: what comes next still finds the window open. */
export const AI_SILENCE_MS = 23 * 3_600_000;

const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,6})M)?(?:(\d{1,8})S)?)?$/;

/**
 * Milliseconds of an ISO 8601 duration in weeks, days, hours, minutes and seconds; null for anything else.
 * Months and years have no length of their own and are not taken.
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

/** Of a step that our own service refused: its code where a run has the same one. */
export const stepFailure = (code: string): RunError =>
  RUN_ERRORS.find((known) => known === code) ??
  (code === 'opted_out' ? 'send_failed' : 'definition_error');

/** What a run's workflow is told after each look. */
export interface RunProgress {
  /** `running`: there is more to do now. */
  readonly stage: RunStatus | 'gone';
  /** Milliseconds until there may be something to do, for a run that waits. */
  readonly waitMs: number;
  readonly waitsFor: 'time' | 'reply' | 'condition' | 'nothing' | 'call' | null;
}
