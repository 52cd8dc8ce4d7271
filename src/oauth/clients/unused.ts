import { asSystem, type Database } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { endIn, REACHES, type Removed } from '../connections/ending.ts';
import { lockEverywhere } from '../connections/locking.ts';

/** Few enough for a short transaction, though each of them may act in several workspaces. */
const AT_ONCE = 100;
const NOWHERE_AT_ONCE = 5_000;

const UNUSED =
  "source = 'registered' and coalesce(last_used_at, created_at) < now() - interval '90 days'";
const ACTING = `exists (select from ${REACHES} r where r.client_id = oauth_clients.id)`;

/** Registered clients that act nowhere: not used for 90 days, or never, and a day old. */
const ACTING_NOWHERE = `source = 'registered' and coalesce(last_used_at, created_at) < now() - interval '24 hours'
  and (last_used_at is null or ${UNUSED}) and not ${ACTING}`;

/**
 * Removes some of the registered clients that act nowhere, and of those that are connected, or left an endpoint that
 * receives, but were not used for 90 days. Each workspace where one acted for somebody reads in its log that it does so no
 * longer. Nobody is woken for the endpoints that are paused with it: that costs a poll interval.
 *
 * @returns how many, and whether there may be more
 */
export const removeUnused = (
  database: Pick<Database, 'system'>,
): Promise<{ readonly clients: number; readonly more: boolean }> =>
  asSystem(database, async (sql) => {
    const nowhere = await removeActingNowhere(sql);
    const clients = await sql.rows<{ id: string; now: Date }>(
      `select id, now() as now from oauth_clients where ${UNUSED} and ${ACTING}
       order by coalesce(last_used_at, created_at) limit ${AT_ONCE} for update skip locked`,
    );
    const [first] = clients;
    if (first) await remove(sql, first.now, clients);
    const more = nowhere.more || clients.length === AT_ONCE;
    return { clients: nowhere.clients + clients.length, more };
  });

/** Asked again once they are locked: whoever connects a client locks it, and changes nothing of it. */
async function removeActingNowhere(sql: Sql): Promise<{ clients: number; more: boolean }> {
  const locked = await sql.rows<{ id: string }>(
    `select id from oauth_clients where ${ACTING_NOWHERE} limit ${NOWHERE_AT_ONCE} for update skip locked`,
  );
  const gone = await sql.rows(
    `delete from oauth_clients where id = any($1) and ${ACTING_NOWHERE} returning 1`,
    [locked.map(({ id }) => id)],
  );
  return { clients: gone.length, more: locked.length === NOWHERE_AT_ONCE };
}

async function remove(sql: Sql, now: Date, clients: readonly { id: string }[]): Promise<void> {
  const ids = clients.map(({ id }) => id);
  await lockEverywhere(sql, ids);
  const acted = await sql.rows<Removed & { organizationId: string }>(
    `select r.organization_id as "organizationId", jsonb_build_object('id', c.id, 'name', c.name) as app,
       array_remove(array_agg(r.member_id order by r.member_id), null) as "memberIds"
     from ${REACHES} r join oauth_clients c on c.id = r.client_id where c.id = any($1)
     group by r.organization_id, c.id order by r.organization_id, c.id`,
    [ids],
  );
  await sql.rows('delete from oauth_clients where id = any($1)', [ids]);
  for (const [organizationId, removed] of Map.groupBy(acted, (each) => each.organizationId))
    await endIn(sql, { organizationId, now, recorded: new Set() }, 'unused app', removed);
}
