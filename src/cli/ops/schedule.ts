import { ScheduleNotFoundError } from '@temporalio/client';
import type { Temporal } from '../../temporal/connection.ts';
import { CommandError } from '../output.ts';

/** What one of the service's Schedules does and when, in words. */
export interface ScheduleSeen {
  readonly id: string;
  readonly paused: boolean;
  readonly lastAt: string | null;
  readonly nextAt: string | null;
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
export async function lookAtSchedule({ client }: Temporal, id: string): Promise<ScheduleSeen> {
  try {
    const { state, info } = await client.schedule.getHandle(id).describe();
    const lastAt = info.recentActions.at(-1)?.takenAt.toISOString() ?? null;
    const nextAt = info.nextActionTimes[0]?.toISOString() ?? null;
    const { paused } = state;
    return {
      id,
      paused,
      lastAt,
      nextAt,
      says: `${id} is ${paused ? 'paused' : 'on'}; it last ran ${lastAt ?? 'never'}, next ${paused ? 'when it is resumed' : (nextAt ?? 'never')}.`,
      todo: paused
        ? `Unpause it in the Temporal UI, under Schedules. What it does is late until then${id === STARTS_WHAT_IS_DUE ? ', and what is more than an hour late by then is missed' : ' and nothing is lost'}.`
        : `Nothing. To run it now: Trigger in the Temporal UI, under Schedules. Its runs are the workflows ${id}-….`,
    };
  } catch (error) {
    if (error instanceof ScheduleNotFoundError)
      throw new CommandError(`There is no Schedule ${id}: a worker makes them when it starts.`);
    throw error;
  }
}
