import { workflowInfo } from '@temporalio/workflow';
import type { sweepActivities } from '../activities/sweeps.ts';
import type { SweepPosition } from '../src/db/sweeping.ts';
import { batches } from './proxies.ts';
import { showDetails } from './stages.ts';
import { goOnAnew } from './waking.ts';

type Sweeping = (from?: SweepPosition) => Promise<void>;

/** Goes through the workspaces, each step as long as one activity takes, and reports its progress. */
const sweeping =
  (
    activity: keyof ReturnType<typeof sweepActivities>,
    summary: string,
    say: (done: number) => string,
  ): Sweeping =>
  async (from = { after: '', done: 0 }) => {
    let position = from;
    for (;;) {
      const next = await batches[activity].executeWithOptions({ summary }, [position]);
      // Recorded histories may be from before every sweep counted in this place.
      showDetails(say(next.position.done ?? 0));
      if (next.finished) return;
      position = next.position;
      if (workflowInfo().continueAsNewSuggested) await goOnAnew<Sweeping>(position);
    }
  };

/**
 * Starts automations with time-based triggers that are due: silence, dates, schedules, and segments that people enter
 * or leave.
 */
export const startDueAutomations = sweeping(
  'startDueAutomations',
  'look at what is due by now',
  (done) => `${done} looks at what starts by the clock.`,
);

/** Closes conversations that have had no message for as long as their workspace has set. */
export const closeIdleConversations = sweeping(
  'closeIdleConversations',
  'close conversations without a message',
  (done) => `${done} conversations closed.`,
);

/** Passes on conversations that no one answers in time, and assigns what waits in the queues. */
export const tendAssignments = sweeping(
  'tendAssignments',
  'look at return timers and queues',
  (done) => `${done} conversations given to somebody else, or given out.`,
);

/** Deletes messages and files that are older than the workspace's plan keeps them. */
export const dropMessageHistory = sweeping(
  'dropMessageHistory',
  'delete messages that the plan keeps no longer',
  (done) => `${done} messages and files deleted.`,
);

/** Writes into the audit log which API keys expire within 30 and within 7 days. */
export const warnExpiringKeys = sweeping(
  'warnExpiringKeys',
  'look at keys that end soon',
  (done) => `${done} keys warned of.`,
);

/** Moves numbers whose health has changed into the corresponding status. */
export const checkNumbers = sweeping(
  'checkNumbers',
  'look at the health of numbers',
  (done) => `${done} numbers changed their state.`,
);

/** Stores the report figures of past days. */
export const rollUpReports = sweeping(
  'rollUpReports',
  'count the days that are over',
  (done) => `${done} days of reports written down.`,
);

/** Re-encrypts with the active key what older keys encrypted. */
export const rotateKeys = sweeping(
  'sealAgain',
  'encrypt with the active key',
  (done) => `${done} secrets encrypted again.`,
);
