import { toAppError } from '../http/failures.ts';
import type { Log } from '../log.ts';
import type { InboundCounts } from './counts.ts';
import { STUCK_AFTER_MS, type StoredWebhook, type Verdict } from './queries.ts';
import type { NumberNotice } from './updates/number-notices.ts';

/** One webhook of the batch while it is processed: what has been found out about it so far. */
export interface Progress {
  readonly webhook: StoredWebhook;
  /** The last thing that went wrong. */
  failure: unknown;
  /** It contains a report whose message may only become known in a moment. */
  waits: boolean;
  notices: readonly NumberNotice[];
}

interface Witnesses {
  readonly counts: InboundCounts;
  readonly log: Log;
}

export const MAX_TRIES = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_PATIENT_WAIT_MS = 10_000;

const nameOf = ({ sha256 }: StoredWebhook): string => sha256.toString('hex').slice(0, 16);

/** Whether what went wrong says nothing about the webhook, so that it is tried again until it succeeds. */
const failsForNow = ({ failure }: Pick<Progress, 'failure'>): boolean =>
  failure !== null && toAppError(failure).retryable;

/**
 * Whether what the same people wrote later waits with it: when it is tried for the first time, however old it is by then,
 * and until it stands. What the database never takes in must not silence whoever wrote it.
 */
export const holdsOthers = (progress: Progress): boolean =>
  failsForNow(progress) && (!progress.webhook.again || progress.webhook.ageMs < STUCK_AFTER_MS);

/** The verdict on a webhook: done, or due again. */
export function verdictOn(
  { counts, log }: Witnesses,
  { webhook, failure, waits }: Progress,
): Verdict {
  const { sha256, tries, ageMs } = webhook;
  const verdict = { sha256, done: true, waitMs: 0, failed: false, error: null };
  if (failure === null) {
    // Waits double, because each is as long as the webhook is old.
    const waitMs = Math.min(Math.max(ageMs, 500), LONGEST_PATIENT_WAIT_MS);
    return waits ? { ...verdict, done: false, waitMs } : verdict;
  }
  const problem = toAppError(failure);
  // A database that is down says nothing about this webhook.
  if (problem.retryable) return { ...verdict, done: false, waitMs: FIRST_WAIT_MS };
  const done = tries + 1 >= MAX_TRIES;
  counts.add('failed');
  if (done) counts.add('given_up');
  const webhookId = nameOf(webhook);
  log.error({ err: failure, webhookId, tries: tries + 1, givenUp: done }, 'a webhook failed');
  return {
    ...verdict,
    done,
    waitMs: FIRST_WAIT_MS * 5 ** tries,
    failed: true,
    error: problem.code,
  };
}

/** What is tried again for ever leaves no trace in its row. One line a batch, with the oldest: it may be thousands. */
export function logStuck({ log }: Pick<Witnesses, 'log'>, all: readonly Progress[]): void {
  const standing = all.filter(
    (progress) => progress.webhook.ageMs > STUCK_AFTER_MS && failsForNow(progress),
  );
  const [oldest] = standing;
  if (!oldest) return;
  const { failure: err, webhook } = oldest;
  log.error(
    {
      err,
      webhookId: nameOf(webhook),
      ageMs: Math.round(webhook.ageMs),
      webhooks: standing.length,
    },
    'webhooks cannot be taken in and are tried again',
  );
}
