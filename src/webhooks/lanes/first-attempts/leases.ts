import type { Sql } from '../../../db/sql.ts';
import { IN_LANE } from '../rows.ts';

/** The endpoints among a process's deliveries that have changed since: whatever stops, moves or rotates one raises it. */
const CHANGED = `
  select e.id from unnest($1::text[], $2::int[]) as known (id, revision)
  join webhook_endpoints e on e.id = known.id
  where e.revision <> known.revision`;

/**
 * Ids of those to be dropped.
 *
 * @param known the revision that the process has, by id
 */
export async function changedEndpoints(
  sql: Sql,
  known: ReadonlyMap<string, number>,
): Promise<string[]> {
  if (known.size === 0) return [];
  const params = [[...known.keys()], [...known.values()]];
  const rows = await sql.rows<{ id: string }>(CHANGED, params, 'changed-endpoints');
  return rows.map((row) => row.id);
}

/** What dead processes had taken becomes due at once, whatever its lease says. */
const BURY = `
  update webhook_deliveries d set lease_token = null, lease_until = now()
  where ${IN_LANE} and d.lease_token is not null and d.lease_token = any($1)`;

/**
 * @param tokens of processes that are gone (`src/relay/processes/presence.ts`)
 */
export const releaseOf = async (sql: Sql, tokens: readonly string[]): Promise<void> => {
  await sql.rows(BURY, [tokens], 'release-of-the-dead');
};

/** No lease is that long, so deliveries waiting in the lane for a later time are not read. */
const HOLDERS = `
  select distinct d.lease_token as token from webhook_deliveries d
  where ${IN_LANE} and d.lease_token is not null
    and d.lease_until > now() and d.lease_until <= now() + interval '2 minutes'
  union
  select distinct lease_token from facts where lease_token is not null`;

/** The processes that have taken deliveries or commands. */
export async function leaseHolders(sql: Sql): Promise<string[]> {
  const rows = await sql.rows<{ token: string }>(HOLDERS, [], 'lease-holders');
  return rows.map((row) => row.token);
}
