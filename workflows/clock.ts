import { continueAsNew, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { SweepPosition } from '../src/db/sweeping.ts';
import { batches } from './proxies.ts';

const START: SweepPosition = { after: '', done: 0 };

type Swept = { readonly position: SweepPosition; readonly finished: boolean };

/** Goes through the workspaces, each step as long as one activity takes, and reports its progress. */
async function sweepOn(
  from: SweepPosition,
  step: (position: SweepPosition) => Promise<Swept>,
  say: (done: number) => string,
  again: (position: SweepPosition) => Promise<never>,
): Promise<void> {
  let position = from;
  for (;;) {
    const next = await step(position);
    setCurrentDetails(say(next.position.done));
    if (next.finished) return;
    position = next.position;
    if (workflowInfo().continueAsNewSuggested) await again(position);
  }
}

/**
 * Starts automations with time-based triggers that are due: silence, dates, schedules, and segments that people enter
 * or leave.
 */
export async function startDueAutomations(from: SweepPosition = START): Promise<void> {
  await sweepOn(
    from,
    (position) =>
      batches.startDueAutomations.executeWithOptions({ summary: 'look at what is due by now' }, [
        position,
      ]),
    (done) => `${done} looks at what starts by the clock.`,
    (position) => continueAsNew<typeof startDueAutomations>(position),
  );
}

/** Closes conversations that have had no message for as long as their workspace has set. */
export async function closeIdleConversations(from: SweepPosition = START): Promise<void> {
  await sweepOn(
    from,
    (position) =>
      batches.closeIdleConversations.executeWithOptions(
        { summary: 'close conversations without a message' },
        [position],
      ),
    (done) => `${done} conversations closed.`,
    (position) => continueAsNew<typeof closeIdleConversations>(position),
  );
}

/** Passes on conversations that no one answers in time, and assigns what waits in the queues. */
export async function tendAssignments(from: SweepPosition = START): Promise<void> {
  await sweepOn(
    from,
    (position) =>
      batches.tendAssignments.executeWithOptions({ summary: 'look at return timers and queues' }, [
        position,
      ]),
    (done) => `${done} conversations given to somebody else, or given out.`,
    (position) => continueAsNew<typeof tendAssignments>(position),
  );
}

/** Deletes messages and files that are older than the workspace's plan keeps them. */
export async function dropMessageHistory(from: SweepPosition = START): Promise<void> {
  await sweepOn(
    from,
    (position) =>
      batches.dropMessageHistory.executeWithOptions(
        { summary: 'delete messages that the plan keeps no longer' },
        [position],
      ),
    (done) => `${done} messages and files deleted.`,
    (position) => continueAsNew<typeof dropMessageHistory>(position),
  );
}

/** Writes into the audit log which API keys expire within 30 and within 7 days. */
export async function warnExpiringKeys(from: SweepPosition = START): Promise<void> {
  await sweepOn(
    from,
    (position) =>
      batches.warnExpiringKeys.executeWithOptions({ summary: 'look at keys that end soon' }, [
        position,
      ]),
    (done) => `${done} keys warned of.`,
    (position) => continueAsNew<typeof warnExpiringKeys>(position),
  );
}

/** Moves numbers whose health has changed into the corresponding status. */
export async function checkNumbers(from: SweepPosition = START): Promise<void> {
  await sweepOn(
    from,
    (position) =>
      batches.checkNumbers.executeWithOptions({ summary: 'look at the health of numbers' }, [
        position,
      ]),
    (done) => `${done} numbers changed their state.`,
    (position) => continueAsNew<typeof checkNumbers>(position),
  );
}
