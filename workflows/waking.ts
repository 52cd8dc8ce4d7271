import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  setHandler,
  type Workflow,
} from '@temporalio/workflow';

/** "Look at the row again": it carries nothing, so losing one only costs time. */
const wake = defineSignal('wake');

/** Time zone rules change, so anything further away is computed again. */
const LONGEST_TIMER_MS = 30 * 24 * 3_600_000;

export interface Sleeper {
  /** Whether a wake came since the last sleep. */
  isWoken(): boolean;
  /** Sleeps until then or until a wake, which is consumed; not at all without milliseconds. */
  sleep(ms: number, summary: string): Promise<void>;
}

/**
 * @param description of the signal `wake`, for operators
 */
export function openSleeper(description: string): Sleeper {
  let woken = false;
  setHandler(
    wake,
    () => {
      woken = true;
    },
    { description },
  );
  return {
    isWoken: () => woken,
    async sleep(ms, summary) {
      if (ms > 0) await condition(() => woken, Math.min(ms, LONGEST_TIMER_MS), { summary });
      woken = false;
    },
  };
}

/** Does the work; if an operator cancels it, the rows are ended before the workflow is. */
export async function untilCancelled<T>(
  work: () => Promise<T>,
  end: () => Promise<unknown>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(end);
    throw error;
  }
}

/** Stops here if this run was cancelled: a cancel that comes with the end of the last activity has interrupted nothing yet. */
export async function stopIfCancelled(): Promise<void> {
  const scope = CancellationScope.current();
  if (scope.consideredCancelled) await scope.cancelRequested;
}

/** Goes on in a new run, unless this one was cancelled: the new one would not know of it. */
export async function goOnAnew<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  await stopIfCancelled();
  return continueAsNew<F>(...args);
}
