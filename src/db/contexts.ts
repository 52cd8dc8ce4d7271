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
  const { organizationId, actor, now, request = null } = input;
  const em = database.orm.em.fork();
  em.setFilterParams('tenant', { organizationId });
  return {
    organizationId,
    actor,
    now,
    request,
    em,
    // Jobs are taken up in turns between workspaces already; what is asked for from outside comes as it likes.
    inTurn: (run) =>
      database.turns.writes.inTurn(request ? organizationId : null, run, request?.gone),
    // Outside a transaction there is no workspace on the connection, so plain SQL sees no rows.
    sql: sqlOverEm(em),
    recorded: new Set(),
    wake,
  };
}
