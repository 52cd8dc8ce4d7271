import type { Keyring } from '../../crypto/keyring.ts';
import { first, type Sql } from '../../db/sql.ts';

const BUCKETS = 65_536;

/**
 * Which counter is that of an address or a client that nobody has vouched for. They share a fixed number of counters,
 * so that no one can fill the table by using many; without the key none can be found that shares somebody else's.
 */
export const bucketOf = (
  keyring: Keyring,
  purpose: 'oauth-limit' | 'form-address',
  who: string,
): number => keyring.hmac(purpose, who).readUInt32BE() % BUCKETS;

/**
 * Counts a request, over all processes.
 *
 * @returns seconds to wait if the counter has had its requests of the last 60 seconds; else 0
 */
export async function secondsToWait(sql: Sql, counter: string, limit: number): Promise<number> {
  const row = await first<{ allowed: boolean; reset_s: number }>(
    sql,
    'select allowed, reset_s from wms.take_request($1, $2)',
    [counter, limit],
    'take-request',
  );
  return !row || row.allowed ? 0 : row.reset_s;
}
