import type { Clock } from '../db/clock.ts';
import { type Database, sqlOver } from '../db/database.ts';
import type { Log } from '../log.ts';
import { IN_LANE } from '../webhooks/lanes/rows.ts';
import { createLoop, type Loop } from './loop.ts';

/** The queues that relays process, in any process. */
type Queue = keyof typeof FIRST_OF;

/** How often all queues are checked: the longest delay of work that no one announced, or that waits for its time. */
export const POLL_EVERY_MS = 500;
/** How often a loop checks its own queue if the common look covers it. */
export const BY_ITSELF_MS = 15_000;

/** How many of those that are due first in a queue are examined; among them workspaces take turns. */
export const DUE_FIRST = 8_192;

/**
 * Whether each queue has work, judging by its first entry in an index of its own: the planner's estimates for queues,
 * which grow from nothing to thousands and back within seconds, are always wrong.
 */
const FIRST_OF = {
  events: `(select organization_id from facts where is_event and dead_at is null order by organization_id limit 1) is not null`,
  commands: `(select not_before from facts where not is_event and dead_at is null order by not_before, id limit 1) <= now()`,
  deliveries: `(select d.lease_until from webhook_deliveries d where ${IN_LANE} order by d.lease_until limit 1) <= now()`,
  messages: `(select number_id from outgoing_messages where claim_token is null order by number_id limit 1) is not null`,
  triggers: `(select organization_id from automation_triggers order by organization_id limit 1) is not null`,
  runs: `(select lane_at from automation_runs where lane_at is not null order by lane_at limit 1) <= $1`,
  reminders: `(select wakes_at from reminders where wakes_at is not null order by wakes_at, id limit 1) <= now()`,
  inbound: `(select seq from inbound_webhooks where processed_at is null order by seq limit 1) is not null`,
  files: `(select not_before from media_fetches order by not_before limit 1) <= now()`,
} as const;

const LOOK = `select ${Object.entries(FIRST_OF)
  .map(([queue, due]) => `${due} as ${queue}`)
  .join(', ')}`;

export interface PollingParts {
  readonly database: Pick<Database, 'system'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Log;
}

/** A single statement instead of one for each loop, as long as nothing happens. */
export function createPolling(
  { database, clock, log }: PollingParts,
  loops: Readonly<Record<Queue, Pick<Loop, 'poke'>>>,
): Loop {
  const sql = sqlOver(database.system);
  const work = async (): Promise<boolean> => {
    // Runs of automations are taken slightly before they are due, and continue at their moment.
    const soon = new Date(clock.now().getTime() + POLL_EVERY_MS);
    const [found] = await sql.rows<Record<Queue, boolean | null>>(LOOK, [soon], 'look-for-work');
    for (const [queue, loop] of Object.entries(loops)) if (found?.[queue as Queue]) loop.poke();
    return false;
  };
  return createLoop({ name: 'the look for work', everyMs: POLL_EVERY_MS, log, work });
}
