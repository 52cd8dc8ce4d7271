import { workflowInfo } from '@temporalio/workflow';
import type { RunProgress } from '../src/automations/rules.ts';
import { batches, steps } from './proxies.ts';
import { showDetails, showStage } from './stages.ts';
import { goOnAnew, openSleeper, untilCancelled } from './waking.ts';

interface RunRef {
  readonly organizationId: string;
  readonly runId: string;
}

/**
 * The run. Until when it sleeps and what it waits for are missing in workflows started before Temporal kept them
 * asleep: without `dueAt`, the row is read at once.
 */
type Waiting = RunRef & {
  readonly dueAt?: string;
  readonly waitsFor?: RunProgress['waitsFor'];
};

interface AutomationRef {
  readonly organizationId: string;
  readonly automationId: string;
}

/** A call to another server may take a minute. */
const STEPS_END_MS = 2_000;

/**
 * One run of an automation, from its first long wait on. An activity takes the steps, each in its own transaction;
 * this decides when. Replies are rows, so a `wake` only makes it look sooner.
 */
export async function runAutomation({ dueAt, waitsFor, ...ref }: Waiting): Promise<void> {
  const sleeper = openSleeper('Look at the run again: somebody answered, or it was changed.');

  const follow = async (): Promise<void> => {
    let last = dueAt ? asleep(dueAt, waitsFor ?? null) : await advance(ref);
    // It was started with its first stage.
    let isListed = Boolean(dueAt);
    while (isOpen(last) || sleeper.isWoken()) {
      show(last, isListed);
      isListed = false;
      if (workflowInfo().continueAsNewSuggested) await goOnAnew<typeof runAutomation>(ref);
      const ms = last.stage === 'waiting' ? Math.max(last.waitMs, 1) : 0;
      await sleeper.sleep(ms, waitWords(last));
      last = await advance(ref);
    }
    show(last, false);
  };

  await untilCancelled(follow, () =>
    steps.cancelAutomationRun.executeWithOptions({ summary: 'end it, as the operator asked' }, [
      ref,
    ]),
  );
}

const isOpen = ({ stage }: RunProgress): boolean => stage === 'running' || stage === 'waiting';

const advance = (ref: RunRef): Promise<RunProgress> =>
  batches.advanceAutomationRun.executeWithOptions({ summary: 'take the next steps' }, [ref]);

/** Nothing needs to be read before its time, because changes wake it. */
const asleep = (dueAt: string, waitsFor: RunProgress['waitsFor']): RunProgress => ({
  stage: 'waiting',
  waitMs: Date.parse(dueAt) - Date.now(),
  waitsFor,
});

function show({ stage, waitMs, waitsFor }: RunProgress, isListed: boolean): void {
  if (!isListed) showStage(stage, waitMs);
  showDetails(`| stage | waits for |\n|---|---|\n| ${stage} | ${waitsFor ?? 'nothing'} |`);
}

function waitWords({ waitsFor }: RunProgress): string {
  if (waitsFor === 'reply') return 'wait for a reply';
  if (waitsFor === 'condition') return 'wait for a condition';
  return waitsFor === 'call' ? 'wait for a call under way' : 'wait for its time';
}

/**
 * Ends the runs of an automation that was deactivated with them, page by page. Runs in the middle of a step end after
 * it; this checks until none is left.
 */
export async function deactivateAutomation(ref: AutomationRef): Promise<void> {
  const sleeper = openSleeper('Look again: the automation was turned off once more.');
  for (let left = await stop(ref); left !== 'done' || sleeper.isWoken(); left = await stop(ref)) {
    showStage('ending', 0);
    showDetails(left === 'later' ? 'Waits for steps under way.' : 'More runs are to be ended.');
    if (workflowInfo().continueAsNewSuggested) await goOnAnew<typeof deactivateAutomation>(ref);
    const ms = left === 'later' && !sleeper.isWoken() ? STEPS_END_MS : 0;
    await sleeper.sleep(ms, 'wait for steps under way');
  }
  showStage('done', 0);
  showDetails('None of its runs is left.');
}

const stop = (ref: AutomationRef): Promise<'more' | 'later' | 'done'> =>
  steps.stopAutomationRuns.executeWithOptions({ summary: 'end up to 200 runs' }, [ref]);
