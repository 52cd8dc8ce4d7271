import type { Keyring } from '../crypto/keyring.ts';
import { first, type Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import { bucketOf, secondsToWait } from '../http/callers/counters.ts';

/** Requests per address in any 60 seconds. */
const LIMITS = {
  token: 600,
  register: 30,
  introspect: 600,
  userinfo: 600,
  revoke: 300,
  authorize: 120,
} as const;
/**
 * Refusals per client and address, against guessing secrets, codes or tokens. Successes do not count: an app may have
 * more connections to renew than that.
 */
const REFUSALS = 240;
export type Limited = keyof typeof LIMITS;

interface Counting {
  readonly sql: Sql;
  readonly keyring: Keyring;
}

/**
 * Throws 429 if the address asks too often, or the client was refused too often at this address. Counted over all
 * processes.
 *
 * @returns the counter of the client's refusals, if it names itself
 */
export async function countRequest(
  { sql, keyring }: Counting,
  kind: Limited,
  address: string,
  clientId: string | null,
): Promise<string | null> {
  const bucket = (who: string): number => bucketOf(keyring, 'oauth-limit', who);
  await take(sql, `oauth-${kind}-${bucket(address)}`, LIMITS[kind]);
  if (clientId === null) return null;
  const counter = `oauth-${kind}-client-${bucket(`${clientId} ${address}`)}`;
  if ((await countedIn(sql, counter)) >= REFUSALS) await take(sql, counter, REFUSALS);
  return counter;
}

export const countRefusal = (sql: Sql, counter: string): Promise<unknown> =>
  sql.rows('select wms.take_request($1, $2)', [counter, REFUSALS], 'oauth-count-refusal');

/** What `wms.take_request` counted in the last 60 seconds: it keeps each second in one of 61 slots. */
async function countedIn(sql: Sql, counter: string): Promise<number> {
  const row = await first<{ counted: number }>(
    sql,
    `select coalesce(sum(r.slots[1 + s % 61]), 0)::int as counted
     from rate_windows r, generate_series(floor(extract(epoch from clock_timestamp()))::bigint - 60, r.second) s
     where r.credential_id = $1`,
    [counter],
    'oauth-refusals',
  );
  return row?.counted ?? 0;
}

async function take(sql: Sql, counter: string, limit: number): Promise<void> {
  const seconds = await secondsToWait(sql, counter, limit);
  if (seconds === 0) return;
  throw new AppError('rate_limited', `Too many requests. Try again in ${seconds} s.`, {
    retry_after_s: seconds,
  });
}
