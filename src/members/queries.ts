import type { PermissionOption } from '../access/roles.ts';
import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { MemberView, TeamView } from './schema.ts';

export type MemberRow = Omit<MemberView, 'seat' | 'online' | 'created_at'> & {
  readonly online_until: Date | null;
  readonly created_at: Date;
};

export type TeamRow = Omit<TeamView, 'created_at'> & { readonly created_at: Date };

const MEMBERS = `
select m.id, m.name, m.email, m.role, m.visibility, m.status, m.online_until, m.created_at,
  array(select t.team_id from team_members t
        where t.organization_id = $1 and t.member_id = m.id order by t.team_id) as team_ids
from members m where m.organization_id = $1`;

export const selectMember = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<MemberRow | null> =>
  first(sql, `${MEMBERS} and m.id = $2`, [organizationId, id], 'member');

/** Newest first, and one more than the page holds. */
export const selectMembers = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<MemberRow[]> =>
  sql.rows(
    `${MEMBERS} and ($2::text is null or m.id < $2) order by m.id desc limit $3`,
    [organizationId, after?.id ?? null, limit + 1],
    'members',
  );

const TEAMS = `
select t.id, t.name, t.created_at,
  array(select m.member_id from team_members m
        where m.organization_id = $1 and m.team_id = t.id order by m.member_id) as member_ids
from teams t where t.organization_id = $1`;

export const selectTeam = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<TeamRow | null> => first(sql, `${TEAMS} and t.id = $2`, [organizationId, id], 'team');

/** Newest first, and one more than the page holds. */
export const selectTeams = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<TeamRow[]> =>
  sql.rows(
    `${TEAMS} and ($2::text is null or t.id < $2) order by t.id desc limit $3`,
    [organizationId, after?.id ?? null, limit + 1],
    'teams',
  );

export type MemberSettingsRow = Pick<
  MemberView,
  'id' | 'name' | 'email' | 'role' | 'visibility' | 'team_ids' | 'status'
> & {
  readonly options: readonly PermissionOption[];
  readonly capacity: number;
};

/** One person with everything that can be set, or null. */
export const selectMemberSettings = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<MemberSettingsRow | null> =>
  first(
    sql,
    `select m.id, m.name, m.email, m.role, m.visibility, m.status, m.options, m.capacity,
       array(select t.team_id from team_members t
             where t.organization_id = $1 and t.member_id = m.id order by t.team_id) as team_ids
     from members m where m.organization_id = $1 and m.id = $2`,
    [organizationId, id],
  );

export interface TeamSettingsRow {
  readonly id: string;
  readonly name: string;
  readonly auto_assign: boolean;
  readonly return_after_minutes: number | null;
  readonly members: number;
}

/** By name. */
export const selectTeamSettings = ({
  sql,
  organizationId,
}: InWorkspace): Promise<TeamSettingsRow[]> =>
  sql.rows(
    `select t.id, t.name, t.auto_assign, t.return_after_minutes,
       (select count(*)::int from team_members m where m.organization_id = $1 and m.team_id = t.id) as members
     from teams t where t.organization_id = $1 order by lower(t.name), t.id`,
    [organizationId],
  );
