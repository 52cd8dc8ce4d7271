import { TEMPORAL_OPERATOR } from '../src/access/actor.ts';
import { cancelReminderByOperator } from '../src/reminders/cancelling.ts';
import { behindMs, type ReminderProgress } from '../src/reminders/rules.ts';
import { advanceReminder, type ReminderRef } from '../src/reminders/running/advance.ts';
import { aliveFor } from './alive.ts';
import type { Deps } from './deps.ts';

const RUN_FOR_MS = 15_000;

/** The activities of `reminder:{id}`. Each may be repeated: a run's row records what was done. */
export const reminderActivities = ({
  contextFor,
  reminderBehindMs = behindMs,
}: Pick<Deps, 'contextFor' | 'reminderBehindMs'>) => ({
  advanceReminder: (ref: ReminderRef): Promise<ReminderProgress> =>
    aliveFor(RUN_FOR_MS, (mayGoOn) =>
      advanceReminder({ contextFor, mayGoOn, behindMs: reminderBehindMs }, ref),
    ),

  cancelReminder: ({ organizationId, reminderId }: ReminderRef): Promise<void> =>
    cancelReminderByOperator(contextFor(organizationId, TEMPORAL_OPERATOR), reminderId),
});
