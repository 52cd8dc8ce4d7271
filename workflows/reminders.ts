import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { ReminderProgress } from '../src/reminders/rules.ts';
import { batches, steps } from './proxies.ts';
import { showStage } from './stages.ts';

interface ReminderRef {
  readonly organizationId: string;
  readonly reminderId: string;
}

/** "Look at the row again": it carries nothing, so losing one costs time and nothing else. */
const wake = defineSignal('wake');

const LONGEST_TIMER_MS = 30 * 24 * 3_600_000;
/** About a hundred runs: whoever wakes after a long sleep reads no longer history than that. */
const MOST_EVENTS = 1_000;
/** Shorter waits are the messages of a run, and no news. */
const WORTH_SHOWING_MS = 60_000;

/**
 * One reminder, from its creation to its end: sleep until it is due, run, sleep again. The row says when and
 * what; an activity reads the zones. Cancelling it cancels the reminder: whoever was not sent to yet is left
 * out, messages under way settle.
 */
export async function runReminder(ref: ReminderRef): Promise<void> {
  let woken = false;
  setHandler(
    wake,
    () => {
      woken = true;
    },
    { description: 'Look at the reminder again.' },
  );
  const show = createStageDisplay();

  const follow = async (): Promise<void> => {
    let last = await look(ref);
    while (!isOver(last) || woken) {
      show(last);
      if (isLong()) await continueAsNew<typeof runReminder>(ref);
      if (last.waitMs > 0) {
        const ms = Math.min(last.waitMs, LONGEST_TIMER_MS);
        await condition(() => woken, ms, { summary: waitWords(last) });
      }
      woken = false;
      last = await look(ref);
    }
    show(last);
  };

  try {
    await follow();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(async () => {
      await steps.cancelReminder.executeWithOptions({ summary: 'end it, as the operator asked' }, [
        ref,
      ]);
      await follow();
    });
    throw error;
  }
}

const isLong = (): boolean =>
  workflowInfo().continueAsNewSuggested || workflowInfo().historyLength > MOST_EVENTS;

const look = (ref: ReminderRef): Promise<ReminderProgress> =>
  batches.advanceReminder.executeWithOptions({ summary: 'see what is due, and send it' }, [ref]);

const isOver = ({ stage }: ReminderProgress): boolean =>
  stage === 'done' || stage === 'cancelled' || stage === 'gone';

function waitWords({ stage, left }: ReminderProgress): string {
  if (stage === 'sleeping') return 'sleep until the next run';
  if (stage === 'waiting') return 'wait for the number to be connected';
  return left > 0 ? `wait for the pace, ${left} left` : 'wait for messages under way';
}

/** Keeps what operators see in step with the reminder, with no more writes than there is news. */
function createStageDisplay(): (progress: ReminderProgress) => void {
  let shown = '';
  return ({ stage, waitMs, left }) => {
    const longWaitMs = waitMs >= WORTH_SHOWING_MS ? waitMs : 0;
    if (stage !== shown || longWaitMs > 0) showStage(stage, longWaitMs);
    shown = stage;
    setCurrentDetails(`| stage | left of this run |\n|---|---|\n| ${stage} | ${left} |`);
  };
}
