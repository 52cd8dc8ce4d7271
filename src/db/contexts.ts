import type { Actor } from '../access/actor.ts';
import type { Context, RequestInfo, Wake } from '../context.ts';
import { type Database, sqlOverEm } from './database.ts';

/** What a context is made of, beside who acts and when. */
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

/** A context bound to one workspace, with an entity manager of its own. */
export function createContext({ database, wake }: ContextParts, input: ContextInput): Context {
  const em = database.orm.em.fork();
  em.setFilterParams('tenant', { organizationId: input.organizationId });
  return {
    organizationId: input.organizationId,
    actor: input.actor,
    now: input.now,
    request: input.request ?? null,
    em,
    // Outside a transaction there is no workspace on the connection, so plain SQL sees no rows.
    sql: sqlOverEm(em),
    recorded: new Set(),
    wake,
  };
}
