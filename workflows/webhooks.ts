import {
  CancellationScope,
  condition,
  defineSignal,
  patched,
  setHandler,
  setWorkflowOptions,
  workflowInfo,
} from '@temporalio/workflow';
import type { EndpointIds } from '../src/webhooks/lanes/backlog/backlog.ts';
import type { DeliveryIds, RetryStep } from '../src/webhooks/lanes/retries/parts.ts';
import { MAX_ATTEMPTS } from '../src/webhooks/rules.ts';
import { pinned } from './pinned.ts';
import { attempts, steps } from './proxies.ts';
import { showDetails, showStage } from './stages.ts';
import { goOnAnew, stopIfCancelled, untilCancelled } from './waking.ts';

const wakeSignal = defineSignal('wake');
const sendNowSignal = defineSignal('sendNow');

/** In case a wake was lost: checks a held delivery from time to time. */
const LOOK_AGAIN = '6 hours';

/**
 * The delivery, and the state of its next attempt at the start; without it the row is read. `isListed`: it was
 * started with its stage and time, which need not be shown again.
 */
type Retry = DeliveryIds & {
  readonly dueAt?: string;
  readonly attempts?: number;
  readonly roundAttempts?: number;
  readonly isListed?: boolean;
};

type Waits = Extract<RetryStep, { next: 'wait' }>;

/**
 * Retries one webhook until it is delivered, its 12 attempts or 24 hours are over, or its endpoint is gone. The row
 * is read before each attempt and decides.
 */
export async function deliverWebhook({
  dueAt,
  attempts: made = 1,
  roundAttempts: inRound = made,
  isListed = false,
  ...ids
}: Retry): Promise<string> {
  let woken = false;
  let atOnce = false;
  const wake = (): void => {
    woken = true;
  };
  const sendNow = (): void => {
    atOnce = true;
  };
  const called = (): boolean => woken || atOnce;
  setHandler(wakeSignal, wake, { description: 'The delivery or its endpoint changed: look again' });
  setHandler(sendNowSignal, sendNow, { description: 'Try at once, without waiting for its time' });
  const retry = async (): Promise<string> => {
    await sleepFirst({ dueAt, made, inRound, isListed }, called);
    while (!workflowInfo().continueAsNewSuggested || atOnce) {
      const wish = { atOnce };
      woken = false;
      atOnce = false;
      // An attempt that was begun is finished and recorded, even when the workflow is cancelled.
      const step = await CancellationScope.nonCancellable(() =>
        attempts.retryWebhook.executeWithOptions({ summary: 'make the attempt if it is due' }, [
          ids,
          wish,
        ]),
      );
      if (step.next === 'end') {
        // Woken while the activity ran: the row may have a new round.
        if (!(called() && patched('woken-at-the-end'))) return ended(step);
        continue;
      }
      await waitFor(step, called);
    }
    return goOnAnew<typeof deliverWebhook>(ids);
  };
  return untilCancelled(retry, () =>
    steps.cancelWebhook.executeWithOptions({ summary: 'end it, as the operator asked' }, [ids]),
  );
}

setWorkflowOptions(pinned, deliverWebhook);

/** The backlog would go on with what was handed to it, although the operator cancelled it during the attempt. */
async function ended(step: Extract<RetryStep, { next: 'end' }>): Promise<string> {
  if (step.status === 'retrying' || step.status === 'held') await stopIfCancelled();
  return describe(step);
}
/**
 * Adjusts an endpoint's backlog to its row, chunk by chunk: releases what is due to the lane of attempts, holds what
 * a pause stopped, ends what a deletion left. Between two checks it sleeps until the earliest delivery is due.
 */
export async function drainEndpoint(ids: EndpointIds): Promise<string> {
  let woken = false;
  let released = 0;
  let freshAt: string | undefined;
  const wake = (): void => {
    woken = true;
  };
  setHandler(wakeSignal, wake, { description: 'The endpoint or its backlog changed: look again' });
  const drain = async (): Promise<string> => {
    while (!workflowInfo().continueAsNewSuggested) {
      woken = false;
      const step = await steps.drainBacklog.executeWithOptions(
        { summary: 'bring the backlog in line' },
        [ids, freshAt],
      );
      released += step.moved;
      freshAt = step.freshAt;
      showDetails(released > 0 ? `${step.says} Released ${released} so far.` : step.says);
      // Woken meanwhile: there may be something again.
      if (step.next === 'end' && !woken) return step.says;
      if (step.next === 'end') continue;
      showStage(step.stage, step.waitMs);
      await condition(() => woken, step.waitMs, { summary: step.why });
    }
    return goOnAnew<typeof drainEndpoint>(ids);
  };
  return untilCancelled(drain, () =>
    steps.holdBacklog.executeWithOptions({ summary: 'hold the rest, as the operator asked' }, [
      ids,
    ]),
  );
}

interface FirstSleep {
  readonly dueAt: string | undefined;
  readonly made: number;
  readonly inRound: number;
  readonly isListed: boolean;
}

/** Nothing needs to be read before its time, because changes wake it. */
async function sleepFirst(
  { dueAt, made, inRound, isListed }: FirstSleep,
  changed: () => boolean,
): Promise<void> {
  const waitMs = dueAt ? Date.parse(dueAt) - Date.now() : 0;
  if (!dueAt || waitMs <= 0) return;
  const count = { attempts: made, roundAttempts: inRound };
  await waitFor({ next: 'wait', ...count, waitMs, dueAt, lastAnswer: null }, changed, isListed);
}

async function waitFor(
  step: Exclude<RetryStep, { next: 'end' }>,
  changed: () => boolean,
  isListed = false,
): Promise<void> {
  showDetails(describe(step));
  if (step.next === 'hold') {
    showStage('held', 0);
    await condition(changed, LOOK_AGAIN, { summary: 'held until the endpoint is resumed' });
    return;
  }
  if (!isListed) showStage('retrying', step.waitMs);
  await condition(changed, step.waitMs, {
    summary: `attempt ${ofTwelve(step) + 1} of ${MAX_ATTEMPTS}`,
  });
}

/** Those made since it was last sent again, by which the twelve are counted; older histories have only the total. */
const ofTwelve = ({ attempts: all, roundAttempts = all }: Waits): number => roundAttempts;

const counted = (made: number): string => `${made} ${made === 1 ? 'attempt' : 'attempts'}`;

function describe(step: RetryStep): string {
  const made = counted(step.attempts);
  if (step.next === 'end') return `${step.status} after ${made}`;
  if (step.next === 'hold') return `Held after ${made}: the endpoint is paused.`;
  const answer = step.lastAnswer ? ` The last answer was ${step.lastAnswer}.` : '';
  const inAll = ofTwelve(step) < step.attempts ? `, ${step.attempts} in all` : '';
  return `Made ${counted(ofTwelve(step))} of ${MAX_ATTEMPTS}${inAll}.${answer} The next is due at ${step.dueAt}.`;
}
