/**
 * The three lanes, as a row `d` of `webhook_deliveries` says them (architecture, Webhooks). What is not finished
 * is in exactly one, and each has indexes of its own.
 *
 * 1. Due at `lease_until`; any process takes it and makes the attempt (`intake.ts`, `attempts.ts`).
 */
export const IN_LANE = `d.status in ('pending', 'retrying') and not d.owned_by_workflow and not d.in_backlog`;

/** 2. Its own workflow, `deliverWebhook`, makes the attempts (`retries.ts`). */
export const OWNED = 'd.owned_by_workflow and d.finished_at is null';

/** 3. Held, or comes to lane 1 from `lease_until` on, by the endpoint's `drainEndpoint` (`backlog.ts`). */
export const IN_BACKLOG = 'd.in_backlog and not d.owned_by_workflow';

/**
 * In a statement's output: its commit does not wait for the disk, which would be most of the way from an event to its
 * receiver. A database that crashes forgets what was taken, never what was written down about an attempt, for that
 * waits: then it is taken again, and what was in flight is sent once more, as after any crash.
 */
export const SOON_ON_DISK = `set_config('synchronous_commit', 'off', true)`;

/** A delivery's id is made of its event and endpoint, and carries the event's moment and so its partition. */
export const deliveryId = (event: string, endpoint: string): string =>
  `'dlv_' || substr(${event}, 5, 10) || upper(substr(md5(${endpoint} || ${event}), 1, 16))`;
