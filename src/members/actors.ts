import type { MemberActor, Visibility } from '../access/actor.ts';
import { holdsSeat, type PermissionOption, permissionsOf, type Role } from '../access/roles.ts';
import { first, type Sql } from '../db/sql.ts';
import type { MemberStatus } from './rules.ts';

interface MemberRow {
  readonly name: string;
  readonly role: Role;
  readonly visibility: Visibility;
  readonly status: MemberStatus;
  readonly options: PermissionOption[];
  readonly team_ids: string[];
  readonly number_ids: string[];
}

type Through = Pick<MemberActor, 'credentialId' | 'app'>;

/**
 * The member as an actor, with current roles and permissions; null if they may not act: unknown, not active, or
 * through an app without a seat (specification, What a token reaches).
 *
 * @param sql bound to the workspace
 */
export async function memberActor(
  sql: Sql,
  organizationId: string,
  memberId: string,
  through: Through,
): Promise<MemberActor | null> {
  const row = await first<MemberRow>(
    sql,
    `select m.name, m.role, m.visibility, m.status, m.options,
       array(select t.team_id from team_members t
             where t.organization_id = m.organization_id and t.member_id = m.id) as team_ids,
       array(select distinct n.number_id from team_members t
             join number_teams n on n.organization_id = t.organization_id and n.team_id = t.team_id
             where m.visibility = 'teams' and t.organization_id = m.organization_id and t.member_id = m.id) as number_ids
     from members m where m.organization_id = $1 and m.id = $2`,
    [organizationId, memberId],
    'member-actor',
  );
  if (row?.status !== 'active' || (through.app && !holdsSeat(row.role))) return null;
  const { name, role, visibility, options, team_ids: teamIds, number_ids: numberIds } = row;
  const permissions = permissionsOf(role, options);
  const sight = { visibility, teamIds, numberIds };
  return { type: 'member', id: memberId, name, role, ...sight, permissions, ...through };
}
