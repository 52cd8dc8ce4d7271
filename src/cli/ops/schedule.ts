import { ScheduleNotFoundError } from '@temporalio/client';
import type { Temporal } from '../../temporal/connection.ts';
import { CommandError } from '../output.ts';
import { lookAt } from './seen.ts';

/** What one of the service's Schedules does and when, in words. */
export interface ScheduleSeen {
  readonly id: string;
  readonly paused: boolean;
  readonly lastAt: string | null;
  readonly nextAt: string | null;
  /** Why the run under way does not go on, before which no other begins; null if nothing is known to be wrong. */
  readonly trouble: string | null;
  readonly says: string;
  readonly todo: string;
}

const SCHEDULE = 'upkeep:';
/** Nobody wants last week's reminder of an appointment today (src/automations/clock). */
const STARTS_WHAT_IS_DUE = 'upkeep:automations';

/** The Schedule of this id, or whose run has it: Temporal puts the time that it was due behind the Schedule's own. */
export const scheduleOf = (id: string): string | null =>
  id.startsWith(SCHEDULE) ? id.replace(/-\d{4}-\d\d-\d\dT[\d:.]+Z$/, '') : null;

/**
 * @throws CommandError if there is none with this id
 */
export async function lookAtSchedule(temporal: Temporal, id: string): Promise<ScheduleSeen> {
  try {
    const { state, info } = await temporal.client.schedule.getHandle(id).describe();
    const last = info.recentActions.at(-1);
    const lastAt = last?.takenAt.toISOString() ?? null;
    const nextAt = info.nextActionTimes[0]?.toISOString() ?? null;
    const { paused } = state;
    // The one that is under way, if any: it is not among those that the server calls running where Trigger began it.
    const run = last?.action.workflow.workflowId;
    const trouble = run === undefined ? null : (await lookAt(temporal, run)).trouble;
    return {
      id,
      paused,
      lastAt,
      nextAt,
      trouble,
      says: [
        `${id} is ${paused ? 'paused' : 'on'}; it last ran ${lastAt ?? 'never'}, next ${paused ? 'when it is resumed' : (nextAt ?? 'never')}.`,
        ...(trouble === null ? [] : [`Its run ${run} does not go on: ${trouble}.`]),
      ].join(' '),
      todo: todoFor(id, { paused, isStuck: trouble !== null }),
    };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError)
      throw new CommandError(
        `There is no Schedule ${id}. If it is one of the service's, a worker makes it within a minute.`,
      );
    throw error;
  }
}

function todoFor(id: string, { paused, isStuck }: { paused: boolean; isStuck: boolean }): string {
  if (!paused && !isStuck)
    return `Nothing. To run it now: Trigger in the Temporal UI, under Schedules. Its runs are the workflows ${id}-….`;
  const costs =
    id === STARTS_WHAT_IS_DUE
      ? ', and what is more than an hour late by then is missed'
      : ' and nothing is lost';
  return [
    ...(isStuck
      ? ['Remove the cause; the run then continues by itself where it was. No other begins before.']
      : []),
    ...(paused
      ? [`Unpause it in the Temporal UI, under Schedules. What it does is late until then${costs}.`]
      : []),
  ].join(' ');
}
