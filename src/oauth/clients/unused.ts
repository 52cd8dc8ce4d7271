import { asSystem, type Database } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { type Ended, endIn } from '../connections/ending.ts';

/** Few enough for a short transaction, though each of them may act in several workspaces. */
const AT_ONCE = 100;

const UNUSED =
  "source = 'registered' and coalesce(last_used_at, created_at) < now() - interval '90 days'";
const CONNECTED = 'exists (select from oauth_connections k where k.client_id = oauth_clients.id)';

/** Registered clients that act nowhere: not used for 90 days, or never, and a day old. In our own SQL. */
export const ACTING_NOWHERE = `source = 'registered' and coalesce(last_used_at, created_at) < now() - interval '24 hours'
  and (last_used_at is null or ${UNUSED}) and not ${CONNECTED}`;

/**
 * Removes some of the registered clients that are connected, but were not used for 90 days. Each workspace where one
 * acted for somebody reads in its log that it does so no longer. Nobody is woken for the endpoints that are paused with it:
 * that costs a poll interval.
 *
 * @returns how many, and whether there may be more
 */
export const removeUnused = (
  database: Pick<Database, 'system'>,
): Promise<{ readonly clients: number; readonly more: boolean }> =>
  asSystem(database, async (sql) => {
    const clients = await sql.rows<{ id: string; now: Date }>(
      `select id, now() as now from oauth_clients where ${UNUSED} and ${CONNECTED}
       order by coalesce(last_used_at, created_at) limit ${AT_ONCE} for update skip locked`,
    );
    const [first] = clients;
    if (first) await remove(sql, first.now, clients);
    return { clients: clients.length, more: clients.length === AT_ONCE };
  });

async function remove(sql: Sql, now: Date, clients: readonly { id: string }[]): Promise<void> {
  const ids = clients.map(({ id }) => id);
  const acted = await sql.rows<Ended & { organizationId: string }>(
    `select k.organization_id as "organizationId", jsonb_build_object('id', c.id, 'name', c.name) as app,
       k.member_id as "memberId"
     from oauth_connections k join oauth_clients c on c.id = k.client_id where c.id = any($1)
     order by k.organization_id, c.id, k.member_id`,
    [ids],
  );
  await sql.rows('delete from oauth_clients where id = any($1)', [ids]);
  for (const [organizationId, ended] of Map.groupBy(acted, (each) => each.organizationId))
    await endIn(sql, { organizationId, now, recorded: new Set() }, 'unused app', ended);
}
