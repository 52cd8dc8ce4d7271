import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** For infrastructure failures only: what a customer or WhatsApp answers is a result, never an exception. */
const untilItWorks = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '10s',
} as const;

/**
 * One for all work (decision 146). Workflows that 0.1.0 began have another for each kind, and would hand it down: their runs would go
 * before all campaigns, and their retries behind them.
 */
const priority = { priorityKey: 3 } as const;

/** Short reads and changes of rows. */
export const steps = proxyActivities<Activities>({
  startToCloseTimeout: '15s',
  retry: untilItWorks,
  priority,
});

/**
 * Batches limited to 15 seconds plus the deadline of the last send. A worker that dies is noticed after 5 seconds
 * without a heartbeat.
 */
export const batches = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '5s',
  retry: untilItWorks,
  priority,
});

/** One webhook attempt: its 10 seconds, a moment for the answer's body, and recording it. */
export const attempts = proxyActivities<Activities>({
  startToCloseTimeout: '12s',
  retry: untilItWorks,
  priority,
});

/** Work on whole tables, whose single steps may take minutes. */
export const longSteps = proxyActivities<Activities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: '5s',
  retry: untilItWorks,
  priority,
});
