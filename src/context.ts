import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from './access/actor.ts';
import type { Sql } from './db/sql.ts';

/** Where a call came from; null outside HTTP. */
export interface RequestInfo {
  readonly id: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly gone?: Gone;
}

/** Calls back when a caller has gone away, at once when that was before. Answers how to stop listening. */
export type Gone = (callback: () => void) => () => void;

/** Who asks, in which workspace, at what time: enough for lists and reads. */
export interface ReadContext {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly request: RequestInfo | null;
  /** Business time. Services and rules never read the clock themselves. */
  readonly now: Date;
  /** Bound to the workspace: row level security hides every other one. */
  readonly sql: Sql;
}

/** A context that may change things. `em` and `sql` share one transaction inside `transact`. */
export interface Context extends ReadContext {
  readonly em: EntityManager;
  /** Runs a whole transaction when it is the workspace's turn: `transact` does. */
  readonly inTurn: <T>(run: () => Promise<T>) => Promise<T>;
  /** What the open transaction leaves for the relays, which the outermost `transact` wakes for it. */
  readonly recorded: Set<News>;
  /** Wakes the relays after a commit. Losing a wake costs a poll interval, never a fact. */
  readonly wake: Wake;
}

/**
 * What there is to look at: facts of the queue, by their kind; messages to be sent; what starts or continues runs of automations; endpoints that
 * changed; deliveries that are due; webhooks of WhatsApp, and those that only report what became of messages; campaigns that
 * were stopped.
 */
export type News =
  | 'events'
  | 'commands'
  | 'messages'
  | 'endpoints'
  | 'deliveries'
  | 'inbound'
  | 'reports'
  | 'triggers'
  | 'campaigns';

/**
 * Says that there is something to look at. Losing it costs a poll interval. With `endpoints` and `campaigns` it
 * resolves when nothing more is begun for those that were paused, deleted or cancelled.
 */
export type Wake = (news: News) => void | Promise<void>;

/** Begins to listen to what is said by `Wake`, here or in another process. Answers how to stop it. */
export type Hear = (callback: Wake) => () => void;
