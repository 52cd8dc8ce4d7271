import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestInfo } from '../../context.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import type { EndedGrant } from '../tokens/grants.ts';

/** An access token that a client presents to ask about it or to end it. */
export interface PresentedToken {
  /** Stands in the token's place: the library looks only opaque tokens up. */
  readonly handle: string;
  readonly jti: string;
  readonly expiresAt: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** One request to the authorization server. What is written stands in one transaction, where there is one. */
export interface Exchange {
  sql: Sql;
  /** By the database's clock: who came before a code was taken only raced for it. */
  readonly arrived: Date;
  readonly presented: PresentedToken | null;
  readonly request: RequestInfo;
  /** Something was revoked: that stands, though the answer is a refusal. */
  ended: boolean;
  /** What a person had granted, and this request ended. */
  readonly endedGrants: EndedGrant[];
  /** The refresh token that this request exchanged. */
  consumed: string | null;
  /** A refresh that was answered already: its answer, as JSON. */
  repeated: string | null;
}

/** The request in which the library's callbacks run: they are given no context of ours. */
export const exchanges = new AsyncLocalStorage<Exchange>();

/** Throws a TypeError outside of a request: a mistake of ours. */
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
  ended: false,
  endedGrants: [],
  consumed: null,
  repeated: null,
});

/**
 * Runs `work` in one transaction of the exchange. It is undone when the answer is a refusal that ended nothing, so
 * that a client that made a mistake keeps its code or refresh token.
 *
 * @param work answers whether the request succeeded
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

/** The library asks several things at once; a connection answers one after the other. */
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
