import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { assignInEach } from './assigning.ts';

const PAGE = 500;
const OWNED_PAGE = 2_000;

/** People who can answer no more and still have conversations. Looks each person up, however many conversations there are. */
const SILENT = `
members m where (m.status = 'suspended' or m.role = 'viewer') and (
  select true from conversations c where c.organization_id = m.organization_id and c.assigned_member_id = m.id limit 1)`;

/** The workspaces of such people. */
export const LEFT_BEHIND = `select m.organization_id from ${SILENT}`;

/**
 * Takes conversations from somebody who can answer no more, open ones first, and lets the queues give them to others.
 * Call it once that is committed: then nobody assigns anything to the person, whose access ended without waiting for
 * all they had. What is beyond a page is left to `unassignRest`.
 */
export const unassignPage = (ctx: Context, memberId: string): Promise<number> =>
  transact(ctx, (tx) => givePage(tx, memberId, 'order by status desc, id', ''));

/**
 * Takes everything from somebody who can answer no more, a page at a time: conversations, contacts and deals. Begins
 * where an earlier call was interrupted.
 */
export async function unassignAll(ctx: Context, memberId: string): Promise<void> {
  while ((await unassignPage(ctx, memberId)) === PAGE);
  for (const table of ['contacts', 'deals'])
    while ((await transact(ctx, (tx) => disown(tx, table, memberId))) === OWNED_PAGE);
}

const disown = async (tx: Context, table: string, memberId: string): Promise<number> => {
  const owned = await tx.sql.rows(
    `with page as (
       select id from ${table} where organization_id = $1 and owner_id = $2 order by id limit ${OWNED_PAGE} for no key update)
     update ${table} t set owner_id = null, updated_at = $3 from page p where t.organization_id = $1 and t.id = p.id returning 1`,
    [tx.organizationId, memberId, tx.now],
  );
  return owned.length;
};

/** A page of the team's conversations, which have no team then. @returns how many they were */
export async function takeFromTeam(tx: Context, teamId: string): Promise<number> {
  const taken = await tx.sql.rows(
    `with page as (
       select id from conversations where organization_id = $1 and assigned_team_id = $2
       order by id limit ${PAGE} for no key update)
     update conversations c set assigned_team_id = null, updated_at = $3
     from page p where c.organization_id = $1 and c.id = p.id returning 1`,
    [tx.organizationId, teamId, tx.now],
  );
  return taken.length;
}

/** All pages of the team's conversations but the last, each in a transaction of its own; they have no team then. */
export async function takeAllFromTeam(ctx: Context, teamId: string): Promise<void> {
  while ((await transact(ctx, (tx) => takeFromTeam(tx, teamId))) === PAGE);
}

/**
 * A page of what is left with people who can answer no more: closed conversations too, which the next message reopens.
 *
 * @returns how many conversations it took from them
 */
export async function unassignRest(tx: Context): Promise<number> {
  const params = [tx.organizationId];
  const text = `select m.id from ${SILENT} and m.organization_id = $1 limit 1`;
  const one = await first<{ id: string }>(tx.sql, text, params);
  return one ? givePage(tx, one.id, 'order by id', 'skip locked') : 0;
}

async function givePage(
  tx: Context,
  memberId: string,
  order: string,
  locked: string,
): Promise<number> {
  const taken = await tx.sql.rows<{ teamId: string | null }>(
    `with page as (
       select id from conversations where organization_id = $1 and assigned_member_id = $2
       ${order} limit ${PAGE} for no key update ${locked})
     update conversations c set assigned_member_id = null, updated_at = $3
     from page p where c.organization_id = $1 and c.id = p.id returning c.assigned_team_id as "teamId"`,
    [tx.organizationId, memberId, tx.now],
  );
  const teams = [...new Set(taken.map(({ teamId }) => teamId))].filter((id) => id !== null);
  await assignInEach(tx, teams.sort());
  return taken.length;
}
