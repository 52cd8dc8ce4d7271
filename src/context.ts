import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor } from './access/actor.ts';
import type { LockSpace } from './db/advisory-locks.ts';
import type { Sql } from './db/sql.ts';

/** Where a call came from; null outside HTTP. */
export interface RequestInfo {
  readonly id: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly gone?: Gone;
}

/** Calls back when a caller disconnects, immediately if that has already happened. Returns how to stop listening. */
export type Gone = (callback: () => void) => () => void;

/** Who is asking, in which workspace, at what time: enough for lists and reads. */
export interface ReadContext {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly request: RequestInfo | null;
  /** Business time. Services and rules never read the clock themselves. */
  readonly now: Date;
  /** Bound to the workspace: row level security hides all others. */
  readonly sql: Sql;
  /**
   * Everything is rolled back in the end, which may take seconds. Until then nobody else may have to wait: what locks
   * that others want would guard is left out.
   */
  readonly simulated?: true;
}

/** Plain SQL in one workspace. */
export type InWorkspace = Pick<ReadContext, 'sql' | 'organizationId' | 'simulated'>;

/** Plain SQL in one workspace on behalf of somebody, whose visibility decides what is found. */
export type Seeing = InWorkspace & Pick<ReadContext, 'actor'>;

/** A context that can change things. `em` and `sql` share one transaction inside `transact`. */
export interface Context extends ReadContext {
  readonly em: EntityManager;
  /** Runs a whole transaction when it is the workspace's turn; used by `transact`. */
  readonly inTurn: <T>(run: () => Promise<T>) => Promise<T>;
  /** What the open transaction has recorded for the relays; the outermost `transact` wakes them for it. */
  readonly recorded: Set<News>;
  /**
   * What the open transaction still writes right before its commit, under locks that everyone wants. What a savepoint
   * leaves here goes with it when it is rolled back. Absent outside a transaction.
   */
  readonly beforeCommit?: Late[];
  /**
   * Locks of the whole workspace that the open transaction may have, and that are not kept while it waits for a row.
   * Absent outside a transaction.
   */
  readonly locked?: Set<LockSpace>;
  /** Wakes the relays after a commit. A lost wake costs a poll interval, never a fact. */
  readonly wake: Wake;
}

/** Written together with all others of the same `write`, in their order. */
export interface Late {
  write(sql: Sql, all: readonly this[]): Promise<void>;
}

/**
 * Kinds of news: facts in the queue, by kind; messages to be sent; triggers and waits of automations; changed
 * endpoints; due deliveries; WhatsApp's webhooks, and those with only status reports; stopped campaigns.
 */
export const NEWS = [
  'events',
  'commands',
  'messages',
  'endpoints',
  'deliveries',
  'inbound',
  'reports',
  'triggers',
  'campaigns',
] as const;
export type News = (typeof NEWS)[number];

/**
 * Announces news. Losing it costs a poll interval. For `endpoints` and `campaigns` it resolves once nothing more is
 * started for those that were paused, deleted or cancelled.
 */
export type Wake = (news: News) => void | Promise<void>;

/** Subscribes to the news announced by `Wake`, here or in another process. Returns how to unsubscribe. */
export type Hear = (callback: Wake) => () => void;
