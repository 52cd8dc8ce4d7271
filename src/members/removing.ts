import { requirePermission } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import { automationsNaming } from '../automated/references.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, refuseUsed } from '../errors.ts';
import { segmentsNaming } from '../segments/naming.ts';
import type { Member, Team } from './entities.ts';
import { changeStatus, keepAnOwner, memberToChange } from './managing.ts';
import { lockTeam } from './teams.ts';
import { takeAllFromTeam, takeFromTeam, unassignAll } from './unassigning.ts';

/**
 * Removes the person from the workspace, whose access ends first. What was assigned to them waits for someone else;
 * their name stays in the audit log and on what they wrote, and the upkeep forgets whom no workspace has any more. Removed
 * page by page, since somebody may own hundreds of thousands of contacts: interrupted, it leaves the person suspended, and
 * the next call goes on.
 *
 * Throws 404, 403 where an Admin would remove an Owner, 409 `last_owner`.
 */
export async function removeMember(ctx: Context, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const member = await memberToRemove(tx, id);
    if (member.status !== 'suspended')
      await changeStatus(tx, member, 'suspended', 'member.suspended');
  });
  await unassignAll(ctx, id);
  await transact(ctx, async (tx) => {
    const ids = [tx.organizationId, id];
    // They go with the person, whose webhook endpoints are left before; whoever disconnects an app has the two in this order.
    await tx.sql.rows(
      'select from oauth_connections where organization_id = $1 and member_id = $2 order by id for update',
      ids,
    );
    const { name, role } = await memberToRemove(tx, id);
    await tx.sql.rows('delete from members where organization_id = $1 and id = $2', ids);
    await audit(tx, {
      action: 'member.removed',
      target: { type: 'member', id, name },
      changes: [{ field: 'role', from: role, to: null }],
    });
  });
}

async function memberToRemove(tx: Context, id: string): Promise<Member> {
  const member = await memberToChange(tx, id);
  await keepAnOwner(tx, member);
  return member;
}

/**
 * Deletes a team; its conversations then have none. Page by page, since a team may have hundreds of thousands:
 * interrupted, it leaves the team with the rest of them, and the next call goes on.
 *
 * Throws 403, 404, 409 `in_use` while it is a number's default team, or an automation or a segment names it.
 */
export async function removeTeam(ctx: Context, id: string): Promise<void> {
  await transact(ctx, (tx) => teamToRemove(tx, id));
  await takeAllFromTeam(ctx, id);
  await transact(ctx, async (tx) => {
    const { name } = await teamToRemove(tx, id);
    // What came meanwhile.
    await takeFromTeam(tx, id);
    const ids = [tx.organizationId, id];
    await tx.sql.rows('delete from teams where organization_id = $1 and id = $2', ids);
    await audit(tx, { action: 'team.removed', target: { type: 'team', id, name } });
  });
}

async function teamToRemove(tx: Context, id: string): Promise<Team> {
  requirePermission(tx.actor, 'members.manage');
  const team = await lockTeam(tx, id);
  const number = await first<{ id: string }>(
    tx.sql,
    'select id from numbers where organization_id = $1 and default_team_id = $2 limit 1',
    [tx.organizationId, id],
  );
  if (number)
    throw new AppError('in_use', 'The team is the default team of a number.', {
      number_id: number.id,
    });
  const automations = await automationsNaming(tx, id);
  const segments = await segmentsNaming(tx, id);
  refuseUsed(
    { automations, segments },
    'The team is in use. Choose another one for its automations and segments.',
  );
  return team;
}
