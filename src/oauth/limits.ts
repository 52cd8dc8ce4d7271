import type { Keyring } from '../crypto/keyring.ts';
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
/**
 * Beyond this number, addresses share counters, so that callers cannot grow the table without limit. A client id is
 * only claimed, so without the key one could be searched for that shares the counter of somebody else.
 */
const BUCKETS = 65_536;

export type Limited = keyof typeof LIMITS;

interface Counting {
  readonly sql: Sql;
  readonly keyring: Keyring;
}

/** Throws 429 if the address, or the client at this address, asks too often. Counted over all processes. */
export async function takeTurn(
  { sql, keyring }: Counting,
  kind: Limited,
  address: string,
  clientId: string | null,
): Promise<void> {
  const bucketOf = (text: string): number =>
    keyring.hmac('oauth-limit', text).readUInt32BE() % BUCKETS;
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
