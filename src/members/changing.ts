import { z } from 'zod';
import { VISIBILITIES } from '../access/actor.ts';
import { PERMISSION_OPTIONS, ROLES } from '../access/roles.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState, validation } from '../errors.ts';
import { nameUpTo } from '../http/fields.ts';
import { guard } from '../http/guard.ts';
import { fillRoom } from './assigning.ts';
import type { Member } from './entities.ts';
import {
  changeStatus,
  keepAnOwner,
  memberToChange,
  requireManager,
  requireSeat,
  takesSeat,
} from './managing.ts';
import { findOrCreateTeams, moveToTeams, teamsOf } from './teams.ts';
import { unassignPage } from './unassigning.ts';

const patchShape = z
  .strictObject({
    name: nameUpTo(120),
    role: z.enum(ROLES),
    visibility: z.enum(VISIBILITIES),
    /** Names of all the teams that the member is to be in. */
    teams: z.array(nameUpTo(60)).max(100),
    /** All the teams by their ids; one that does not exist is refused, where a name would create it. */
    team_ids: z.array(z.string()).max(100),
    /** Permissions switched on for an Agent. */
    options: z.array(z.enum(PERMISSION_OPTIONS)),
    /** How many open conversations the assignment queue may give the member at a time. */
    capacity: z.int().min(0).max(500),
  })
  .partial();

export type MemberPatch = z.input<typeof patchShape>;

/** What a change of a list starts from. */
interface Lists {
  readonly options: readonly string[];
  readonly team_ids: readonly string[];
}

/**
 * Changes the fields that the patch names. Throws 404, 403 where an Admin would change an Owner, 409 `last_owner` and
 * `quota`, 422 `validation`.
 *
 * @param input may depend on the member's lists, which nobody else changes until it is done
 */
export async function updateMember(
  ctx: Context,
  id: string,
  input: MemberPatch | ((stored: Lists) => MemberPatch),
): Promise<Member> {
  const given = typeof input === 'function' ? input : guard(patchShape, input);
  const member = await transact(ctx, async (tx) => {
    const member = await memberToChange(tx, id);
    const teamIds = await teamsOf(tx, id);
    const stored = { options: member.options, team_ids: teamIds };
    const { teams, team_ids, ...patch } =
      typeof given === 'function' ? guard(patchShape, given(stored)) : given;
    const before = { ...auditedFields(member), team_ids: teamIds };
    await changeRole(tx, member, patch.role ?? member.role);
    const { options, ...fields } = patch;
    Object.assign(member, fields);
    member.options = optionsAfter(member, options);
    await tx.em.flush();
    const wanted = teams ? await findOrCreateTeams(tx, teams) : team_ids;
    const after = wanted ? await moveToTeams(tx, id, wanted) : teamIds;
    const changes = changesBetween(before, { ...auditedFields(member), team_ids: after });
    const target = { type: 'member', id, name: member.name };
    if (changes.length > 0) await audit(tx, { action: 'member.updated', target, changes });
    return member;
  });
  await (member.role === 'viewer' ? unassignPage(ctx, id) : fillRoom(ctx, id));
  return member;
}

async function changeRole(tx: Context, member: Member, role: Member['role']): Promise<void> {
  if (role === member.role) return;
  requireManager(tx, role);
  await keepAnOwner(tx, member);
  const { status } = member;
  if (takesSeat({ role, status }) && !takesSeat(member)) await requireSeat(tx);
}

/** Options are for Agents only: any other role drops them, and refuses new ones. */
function optionsAfter({ role, options }: Member, wanted?: Member['options']): Member['options'] {
  if (role === 'agent') return [...new Set(wanted ?? options)].sort();
  if (!wanted?.length) return [];
  const message = 'Only an Agent has options; every other role has its own permissions.';
  throw validation([{ path: 'options', rule: 'not_applicable', message }]);
}

const auditedFields = ({ name, role, visibility, options, capacity }: Member) => ({
  name,
  role,
  visibility,
  options: options.toSorted(),
  capacity,
});

/**
 * Ends all access of a person from the next call on, and frees the seat. What was assigned to them waits for someone
 * else; an endpoint of theirs that hears not everything is silent meanwhile.
 */
export async function suspendMember(ctx: Context, id: string): Promise<Member> {
  const member = await transact(ctx, async (tx) => {
    const member = await memberToChange(tx, id);
    if (member.status === 'suspended') throw invalidState('suspended', ['invited', 'active']);
    await keepAnOwner(tx, member);
    await changeStatus(tx, member, 'suspended', 'member.suspended');
    return member;
  });
  await unassignPage(ctx, id);
  return member;
}

/** Lets a suspended person back in, if a seat is free. */
export const reactivateMember = (ctx: Context, id: string): Promise<Member> =>
  transact(ctx, async (tx) => {
    const member = await memberToChange(tx, id);
    if (member.status !== 'suspended') throw invalidState(member.status, ['suspended']);
    const status = member.joinedAt === null ? 'invited' : 'active';
    if (takesSeat({ role: member.role, status })) await requireSeat(tx);
    await changeStatus(tx, member, status, 'member.reactivated');
    return member;
  });
