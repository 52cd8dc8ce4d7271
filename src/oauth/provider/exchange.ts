import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestInfo } from '../../context.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import type { EndedGrant } from '../tokens/grants.ts';

/** An access token that a client presents for introspection or revocation. */
export interface PresentedToken {
  /** Replaces the token, because the library only looks up opaque ones. */
  readonly handle: string;
  readonly jti: string;
  readonly expiresAt: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One request to the authorization server. What it writes is in one transaction, if there is one. */
export interface Exchange {
  sql: Sql;
  /** By the database's clock: a request that arrived before a code was used merely lost the race for it. */
  readonly arrived: Date;
  readonly presented: PresentedToken | null;
  readonly request: RequestInfo;
  /** Where a refusal is counted, if the client names itself. */
  readonly counter: string | null;
  /** Something was revoked, which must be kept even though the answer is a refusal. */
  ended: boolean;
  /** Grants that this request ended. */
  readonly endedGrants: EndedGrant[];
  /** The refresh token that this request used. */
  consumed: string | null;
  /** For a refresh that was answered before: that answer, as JSON. */
  repeated: string | null;
}

/** The request in which the library's callbacks run, because they get no context of ours. */
export const exchanges = new AsyncLocalStorage<Exchange>();

/** Throws a TypeError outside a request, which would be a bug of ours. */
export function currentExchange(): Exchange {
  const exchange = exchanges.getStore();
  if (!exchange) throw new TypeError('This runs inside a request to the authorization server.');
  return exchange;
}

export const newExchange = (
  { system }: Pick<Database, 'system'>,
  arrived: Date,
  request: RequestInfo,
): Exchange => ({
  sql: sqlOver(system as Parameters<typeof sqlOver>[0]),
  arrived,
  presented: null,
  request,
  counter: null,
  ended: false,
  endedGrants: [],
  consumed: null,
  repeated: null,
});

/**
 * Runs `work` in one transaction of the exchange. It is rolled back if the answer is a refusal that revoked nothing,
 * so that a client that made a mistake keeps its code or refresh token.
 *
 * @param work returns whether the request succeeded
 */
export async function inOneTransaction(
  { system }: Pick<Database, 'system'>,
  exchange: Exchange,
  work: () => Promise<boolean>,
): Promise<void> {
  const client = await system.connect();
  const outside = exchange.sql;
  exchange.sql = oneByOne(sqlOver(client));
  let broken = false;
  try {
    await client.query('begin');
    const done = await work();
    await client.query(done || exchange.ended ? 'commit' : 'rollback');
  } catch (error) {
    await client.query('rollback').catch(() => {
      broken = true;
    });
    throw error;
  } finally {
    exchange.sql = outside;
    client.release(broken);
  }
}

/** The library runs queries concurrently, but a connection runs one at a time. */
function oneByOne(sql: Sql): Sql {
  let last: Promise<unknown> = Promise.resolve();
  return {
    rows: <R>(text: string, params?: readonly unknown[], name?: string): Promise<R[]> => {
      const asked = last.then(() => sql.rows<R>(text, params, name));
      last = asked.catch(() => {});
      return asked;
    },
  };
}
