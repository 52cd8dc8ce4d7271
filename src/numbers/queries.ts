import { visibleNumbers } from '../access/visibility.ts';
import type { InWorkspace, Seeing } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { NumberView } from './schema.ts';

export type NumberRow = Omit<NumberView, 'created_at' | 'status_changed_at' | 'capabilities'> & {
  readonly created_at: Date;
  readonly status_changed_at: Date;
  readonly window_24h: boolean;
};

const NUMBER = `select n.id, n.name, n.phone, n.status, n.default_team_id, n.created_at,
    array(select t.team_id from number_teams t
          where t.organization_id = $1 and t.number_id = n.id order by t.team_id) as team_ids,
    n.stage_id, n.hours, n.provider, n.status_reason, n.status_changed_at, n.window_24h
  from numbers n where n.organization_id = $1`;

/** The number, or null if it does not exist or the actor cannot see it. */
export function selectNumber({ sql, organizationId, actor }: Seeing, id: string) {
  const { params, bind } = binding(organizationId, id);
  const seen = visibleNumbers(actor, 'n', bind);
  return first<NumberRow>(sql, `${NUMBER} and n.id = $2 and ${seen}`, params);
}

/** The numbers the actor can see, newest first; one row more than asked for if there is one. */
export function selectNumbers(
  { sql, organizationId, actor }: Seeing,
  { limit, after }: PageRequest,
): Promise<NumberRow[]> {
  const { params, bind } = binding(organizationId, limit + 1);
  const seen = visibleNumbers(actor, 'n', bind);
  const beyond = after ? `and n.id < ${bind(after.id)}` : '';
  return sql.rows(`${NUMBER} and ${seen} ${beyond} order by n.id desc limit $2`, params);
}

/** It stays until the transaction ends. */
export const holdStage = ({ sql, organizationId }: InWorkspace, id: string) =>
  first<{ id: string }>(
    sql,
    'select id from stages where organization_id = $1 and id = $2 for key share',
    [organizationId, id],
  );

/** Its teams stay until the transaction ends; those that are just being removed are waited for. */
export const holdTeams = (
  { sql, organizationId }: InWorkspace,
  numberId: string,
): Promise<unknown> =>
  sql.rows(
    `select from number_teams n join teams t on t.organization_id = $1 and t.id = n.team_id
     where n.organization_id = $1 and n.number_id = $2 order by t.id for key share of t`,
    [organizationId, numberId],
  );
