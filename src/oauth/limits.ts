import { createHash } from 'node:crypto';
import { first, type Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';

/** Requests per address in any 60 seconds. */
const LIMITS = {
  token: 600,
  register: 30,
  introspect: 600,
  userinfo: 600,
  revoke: 300,
  authorize: 120,
} as const;
/** Per client and address, against guessing secrets, codes or tokens. */
const PER_CLIENT = 240;
/** Beyond this number, addresses share counters, so that callers cannot grow the table without limit. */
const BUCKETS = 65_536;

export type Limited = keyof typeof LIMITS;

/** Throws 429 if the address, or the client at this address, asks too often. Counted over all processes. */
export async function takeTurn(
  sql: Sql,
  kind: Limited,
  address: string,
  clientId: string | null,
): Promise<void> {
  await take(sql, `oauth-${kind}-${bucketOf(address)}`, LIMITS[kind]);
  if (clientId !== null)
    await take(sql, `oauth-${kind}-client-${bucketOf(`${clientId} ${address}`)}`, PER_CLIENT);
}

async function take(sql: Sql, counter: string, limit: number): Promise<void> {
  const row = await first<{ allowed: boolean; reset_s: number }>(
    sql,
    'select allowed, reset_s from wms.take_request($1, $2)',
    [counter, limit],
    'oauth-take-request',
  );
  if (!row || row.allowed) return;
  throw new AppError('rate_limited', `Too many requests. Try again in ${row.reset_s} s.`, {
    retry_after_s: row.reset_s,
  });
}

const bucketOf = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE() % BUCKETS;
