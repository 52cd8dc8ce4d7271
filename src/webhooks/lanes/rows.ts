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
 * In a statement's output: its commit does not wait for the disk, which would take most of the time from an event to
 * its receiver. If the database crashes, it forgets what was taken, but never the record of an attempt, because that
 * commit does wait. The deliveries are then taken again, and those in flight are sent once more, as after any crash.
 */
export const SOON_ON_DISK = `set_config('synchronous_commit', 'off', true)`;

/**
 * A delivery's id is derived from its event and endpoint, and contains the event's time and thereby its partition.
 */
export const deliveryId = (event: string, endpoint: string): string =>
  `${beginOf(event)} || upper(substr(md5(${endpoint} || ${event}), 1, 16))`;

const beginOf = (event: string): string => `'dlv_' || substr(${event}, 5, 10)`;

/** Whether a delivery `d` is one of this event, said so that the primary key finds it. */
export const isOf = (event: string): string =>
  `d.event_id = ${event} and d.id between ${beginOf(event)} || repeat('0', 16) and ${beginOf(event)} || repeat('F', 16)`;

/** Whether a delivery `d` is that of this event to this endpoint, said so that the primary key finds it. */
export const isDeliveryOf = (event: string, endpoint: string): string =>
  `d.day = wms.id_day(${event}) and d.id = ${deliveryId(event, endpoint)}`;
