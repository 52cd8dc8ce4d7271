import type { Actor } from '../access/actor.ts';
import type { Context, RequestInfo, Wake } from '../context.ts';
import type { Clock } from './clock.ts';
import { type Database, sqlOverEm } from './database.ts';

/** What a context consists of, besides the actor and the time. */
export interface ContextParts {
  readonly database: Database;
  readonly wake: Wake;
}

export interface ContextInput {
  readonly organizationId: string;
  readonly actor: Actor;
  readonly now: Date;
  readonly request?: RequestInfo;
}

/** A context bound to one workspace, with its own entity manager. */
export function createContext({ database, wake }: ContextParts, input: ContextInput): Context {
  const { organizationId, actor, now, request = null } = input;
  const em = database.orm.em.fork();
  em.setFilterParams('tenant', { organizationId });
  return {
    organizationId,
    actor,
    now,
    request,
    em,
    // Jobs already take turns between workspaces; requests from outside do not.
    inTurn: (run) =>
      database.turns.writes.inTurn(request ? organizationId : null, run, request?.gone),
    // Outside a transaction the connection is bound to no workspace, so plain SQL sees no rows.
    sql: sqlOverEm(em),
    recorded: new Set(),
    wake,
  };
}

/** Makes the contexts for work that no one requested. */
export type ContextFor = (organizationId: string, actor: Actor) => Context;

/** Contexts whose time is that at which they are made. */
export const contextsOf =
  (parts: ContextParts & { readonly clock: Clock }): ContextFor =>
  (organizationId, actor) =>
    createContext(parts, { organizationId, actor, now: parts.clock.now() });
