import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/** Infrastructure only: what a customer or WhatsApp answers is a result, never an exception. */
const untilItWorks = {
  initialInterval: '500ms',
  backoffCoefficient: 2,
  maximumInterval: '10s',
} as const;

/** Short looks at and changes of rows. */
export const steps = proxyActivities<Activities>({
  startToCloseTimeout: '15s',
  retry: untilItWorks,
});

/**
 * Batches bounded by 15 seconds and the deadline of the last send. A worker that dies is noticed after
 * 5 seconds without a heartbeat.
 */
export const batches = proxyActivities<Activities>({
  startToCloseTimeout: '60s',
  heartbeatTimeout: '5s',
  retry: untilItWorks,
});

/** One webhook attempt: its 10 seconds, a moment for the answer's body, and writing it down. */
export const attempts = proxyActivities<Activities>({
  startToCloseTimeout: '12s',
  retry: untilItWorks,
});

/** Work on whole tables, whose single steps may take minutes. */
export const longSteps = proxyActivities<Activities>({
  startToCloseTimeout: '15m',
  heartbeatTimeout: '5s',
  retry: untilItWorks,
});
