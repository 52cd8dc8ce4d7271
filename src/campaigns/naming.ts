import type { ReadContext, Seeing } from '../context.ts';
import { first } from '../db/sql.ts';
import { visible } from './queries.ts';
import type { PauseReason, WaitingFor } from './rules.ts';

/** What a campaign's ids stand for; null for what it does not name, or no longer. */
export interface CampaignNames {
  readonly number: string | null;
  readonly phone: string | null;
  readonly segment: string | null;
  readonly pipeline: string | null;
  readonly stages: readonly string[];
  readonly groups: readonly string[];
}

/** For a page of it. Whether the caller may see the campaign is known by then. */
export const campaignNames = (
  { sql, organizationId }: Pick<ReadContext, 'sql' | 'organizationId'>,
  id: string,
): Promise<CampaignNames | null> =>
  first(
    sql,
    `select n.name as number, n.phone, s.name as segment, p.name as pipeline,
       array(select t.name from stages t where t.organization_id = $1 and t.id = any(c.stage_ids)
         order by t.position) as stages,
       array(select g.name from groups g where g.organization_id = $1 and g.id = any(c.group_ids)
         order by array_position(c.group_ids, g.id)) as groups
     from campaigns c
     left join numbers n on n.organization_id = $1 and n.id = c.number_id
     left join segments s on s.organization_id = $1 and s.id = c.segment_id
     left join pipelines p on p.organization_id = $1 and p.id = c.pipeline_id
     where c.organization_id = $1 and c.id = $2`,
    [organizationId, id],
  );

/** For a page of one that says until when it waits: for what; null if it went on meanwhile. As `campaignNames`. */
export async function whatItWaitsFor(
  { sql, organizationId }: Pick<ReadContext, 'sql' | 'organizationId'>,
  id: string,
): Promise<WaitingFor | null> {
  const row = await first<{ why: WaitingFor | null }>(
    sql,
    'select waiting_for as why from campaigns where organization_id = $1 and id = $2',
    [organizationId, id],
  );
  return row?.why ?? null;
}

/** The names of these campaigns, by id; those that the caller does not see are missing. For lists of other records. */
export async function namesOfCampaigns(
  ctx: Seeing,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { where, params, bind } = visible(ctx);
  const rows = await ctx.sql.rows<{ id: string; name: string }>(
    `select c.id, c.name from campaigns c
     left join numbers n on n.organization_id = c.organization_id and n.id = c.number_id
     where ${where} and c.id = any(${bind(ids)}::text[])`,
    params,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

interface Stopped {
  readonly id: string;
  readonly name: string;
  readonly reason: PauseReason;
}

/** The campaigns that stopped by themselves, newest first: those that nobody paused. */
export function stoppedCampaigns(ctx: Seeing, limit: number): Promise<Stopped[]> {
  const { where, params, bind } = visible(ctx);
  return ctx.sql.rows(
    `select c.id, c.name, c.pause_reason as reason from campaigns c
     left join numbers n on n.organization_id = c.organization_id and n.id = c.number_id
     where ${where} and c.status = 'paused' and c.pause_reason <> 'member'
     order by c.id desc limit ${bind(limit)}`,
    params,
  );
}
