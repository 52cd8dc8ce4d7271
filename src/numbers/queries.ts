import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { NumberView } from './schema.ts';

export type NumberRow = Omit<NumberView, 'created_at' | 'status_changed_at' | 'capabilities'> & {
  readonly created_at: Date;
  readonly status_changed_at: Date;
  readonly window_24h: boolean;
};

type InWorkspace = Pick<ReadContext, 'sql' | 'organizationId'>;

const NUMBER = `select n.id, n.name, n.phone, n.status, n.default_team_id, n.created_at,
    array(select t.team_id from number_teams t
          where t.organization_id = $1 and t.number_id = n.id order by t.team_id) as team_ids,
    n.stage_id, n.hours, n.provider, n.status_reason, n.status_changed_at, n.window_24h
  from numbers n where n.organization_id = $1`;

export const selectNumber = ({ sql, organizationId }: InWorkspace, id: string) =>
  first<NumberRow>(sql, `${NUMBER} and n.id = $2`, [organizationId, id], 'number');

/** One row more than asked for, when there is one. */
export const selectNumbers = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<NumberRow[]> =>
  after
    ? sql.rows(
        `${NUMBER} and n.id < $3 order by n.id desc limit $2`,
        [organizationId, limit + 1, after.id],
        'numbers-after',
      )
    : sql.rows(`${NUMBER} order by n.id desc limit $2`, [organizationId, limit + 1], 'numbers');
