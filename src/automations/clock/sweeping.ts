import { system } from '../../access/actor.ts';
import type { Context } from '../../context.ts';
import type { ContextFor } from '../../db/contexts.ts';
import type { Database } from '../../db/database.ts';
import type { Sweep } from '../../db/sweeping.ts';
import { transact } from '../../db/transact.ts';
import { workspacesAfter } from '../../db/workspaces.ts';
import { MINUTE_MS } from '../../durations.ts';
import { type Log, logPassedOver } from '../../log.ts';
import { isTooHeavy } from '../../segments/time-limit.ts';
import { noteDrop } from '../running/dropped-triggers.ts';
import { BY_THE_CLOCK, type Clock, nextClock, windClocks, writeClock } from './clocks.ts';
import { lookAtDay, putOffDay } from './days.ts';
import { lookAtSegment } from './segments.ts';
import { lookForSilence } from './silence.ts';

/**
 * Processes automations with time-based triggers, one page of one automation per transaction. Its progress is written
 * together with what it starts, so nothing is started twice.
 */
export const clockStarts = (
  database: Pick<Database, 'system'>,
  contextFor: ContextFor,
  log: Pick<Log, 'error'>,
): Sweep => ({
  page: (after) => workspacesAfter(database, after, WITH_CLOCKS),
  tend: (organizationId) =>
    transact(contextFor(organizationId, system('automations')), (tx) => tendOne(tx, log)),
});

const WITH_CLOCKS = { table: 'automations', where: `status = 'active' and ${BY_THE_CLOCK}` };

/**
 * @returns 0 once all automations of the workspace have been processed up to this minute
 */
async function tendOne(tx: Context, log: Pick<Log, 'error'>): Promise<number> {
  const until = new Date(Math.floor(tx.now.getTime() / MINUTE_MS) * MINUTE_MS);
  await windClocks(tx);
  const clock = await nextClock(tx, until);
  if (!clock) return 0;
  await writeClock(tx, clock.automationId, await look(tx, clock, until, log));
  return 1;
}

/** If it fails, everything it wrote is rolled back, and the next minute's look finds the same people: no other waits for it. */
async function look(
  tx: Context,
  clock: Clock,
  until: Date,
  log: Pick<Log, 'error'>,
): Promise<Partial<Clock>> {
  try {
    return await transact(tx, (inner) => lookAt(inner, clock, until));
  } catch (err) {
    const { automationId, trigger } = clock;
    if (!isTooHeavy(err)) {
      const { organizationId } = tx;
      const about = { err, organizationId, automationId };
      logPassedOver(log, about, 'an automation cannot look at the clock');
      return { ...clock, failedAt: until };
    }
    await noteDrop(tx, automationId, 'segment_too_heavy');
    return trigger.type === 'schedule' || trigger.type === 'date_field'
      ? putOffDay(tx, clock, trigger, until)
      : { seenUntil: until };
  }
}

function lookAt(tx: Context, clock: Clock, until: Date): Promise<Partial<Clock>> {
  switch (clock.trigger.type) {
    case 'no_reply':
      return lookForSilence(tx, clock, clock.trigger, until);
    case 'schedule':
    case 'date_field':
      return lookAtDay(tx, clock, clock.trigger, until);
    case 'segment_entered':
    case 'segment_left':
      return lookAtSegment(tx, clock, clock.trigger, until);
  }
}
