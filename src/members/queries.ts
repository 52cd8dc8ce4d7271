import type { ReadContext } from '../context.ts';
import type { PageRequest } from '../http/route.ts';
import type { MemberView, TeamView } from './schema.ts';

type InWorkspace = Pick<ReadContext, 'sql' | 'organizationId'>;

export type MemberRow = Omit<MemberView, 'seat' | 'online' | 'created_at'> & {
  readonly online_until: Date | null;
  readonly created_at: Date;
};

export type TeamRow = Omit<TeamView, 'created_at'> & { readonly created_at: Date };

/** Newest first, and one more than the page holds. */
export const selectMembers = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<MemberRow[]> =>
  sql.rows(
    `select m.id, m.name, m.email, m.role, m.visibility, m.status, m.online_until, m.created_at,
       array(select t.team_id from team_members t
             where t.organization_id = $1 and t.member_id = m.id order by t.team_id) as team_ids
     from members m where m.organization_id = $1 and ($2::text is null or m.id < $2)
     order by m.id desc limit $3`,
    [organizationId, after?.id ?? null, limit + 1],
    'members',
  );

/** Newest first, and one more than the page holds. */
export const selectTeams = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<TeamRow[]> =>
  sql.rows(
    `select t.id, t.name, t.created_at,
       array(select m.member_id from team_members m
             where m.organization_id = $1 and m.team_id = t.id order by m.member_id) as member_ids
     from teams t where t.organization_id = $1 and ($2::text is null or t.id < $2)
     order by t.id desc limit $3`,
    [organizationId, after?.id ?? null, limit + 1],
    'teams',
  );
