import { workflowInfo } from '@temporalio/workflow';
import type { ReminderProgress } from '../src/reminders/rules.ts';
import { batches, steps } from './proxies.ts';
import { createStageDisplay, showDetails } from './stages.ts';
import { goOnAnew, openSleeper, untilCancelled } from './waking.ts';

interface ReminderRef {
  readonly organizationId: string;
  readonly reminderId: string;
}

/** About a hundred runs, so that a worker never replays a longer history after a long sleep. */
const MOST_EVENTS = 1_000;
/** Shorter waits are between the messages of a run, and not worth showing. */
const WORTH_SHOWING_MS = 60_000;

/**
 * One reminder, from its creation to its end: sleep until it is due, run, sleep again. The row says when and what; an
 * activity reads the zones. Cancelling it cancels the reminder: recipients not yet sent to are left out, messages in
 * progress are settled.
 */
export async function runReminder(ref: ReminderRef): Promise<void> {
  const sleeper = openSleeper('Look at the reminder again.');
  const show = createDisplay();

  const follow = async (): Promise<void> => {
    let last = await look(ref);
    while (!isOver(last) || sleeper.isWoken()) {
      show(last);
      if (isLong()) await goOnAnew<typeof runReminder>(ref);
      await sleeper.sleep(last.waitMs, waitWords(last));
      last = await look(ref);
    }
    show(last);
  };

  await untilCancelled(follow, async () => {
    await steps.cancelReminder.executeWithOptions({ summary: 'end it, as the operator asked' }, [
      ref,
    ]);
    await follow();
  });
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

/** Keeps what operators see up to date, writing only when something has changed. */
function createDisplay(): (progress: ReminderProgress) => void {
  const show = createStageDisplay();
  return ({ stage, waitMs, dueMs = waitMs, left }) => {
    show(stage, waitMs >= WORTH_SHOWING_MS ? dueMs : null);
    showDetails(`| stage | left of this run |\n|---|---|\n| ${stage} | ${left} |`);
  };
}
