import type { UnderWay } from '../../../concurrency.ts';
import type { Hear } from '../../../context.ts';
import type { Clock } from '../../../db/clock.ts';
import type { Database } from '../../../db/database.ts';
import type { Backoff, DeliveryStatus } from '../../rules.ts';
import type { WebhookSender } from '../../signing/sender.ts';

/** The delivery, as ids only, because anyone may read a workflow's history. */
export interface DeliveryIds {
  readonly organizationId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly eventId: string;
}

/**
 * The places that one endpoint's retries may take of a process's for activities of all kinds (`src/temporal-worker.ts`). An
 * endpoint that fails now and then may have 200 retries due in the same seconds; if it hangs then, campaigns and other
 * endpoints would wait for its ten seconds.
 */
export const RETRIES_AT_ONCE = 16;

/** What the second and later attempts need. */
export interface RetryParts {
  readonly database: Pick<Database, 'app'>;
  readonly sender: WebhookSender;
  readonly clock: Clock;
  readonly backoff: Backoff;
  /** By endpoint. */
  readonly underWay: UnderWay;
  readonly hear?: Hear | undefined;
}

export interface RetryRequest {
  /** Does not wait until the next attempt is due. */
  readonly atOnce: boolean;
  /** What cannot be signed now will not be signable later either. */
  readonly lastTry: boolean;
}

/** What the workflow does next, and what an operator reads about it. No personal data. */
export type RetryStep =
  | { readonly next: 'end'; readonly status: DeliveryStatus | 'gone'; readonly attempts: number }
  /** Only in histories from before endpoints had backlogs. */
  | { readonly next: 'hold'; readonly attempts: number }
  | {
      readonly next: 'wait';
      readonly attempts: number;
      /** Of the twelve; left out in histories from before it was told. */
      readonly roundAttempts?: number;
      readonly waitMs: number;
      /** ISO 8601. */
      readonly dueAt: string;
      /** The status code or reason of the last failure, or what prevents an attempt. */
      readonly lastAnswer: string | null;
    };
