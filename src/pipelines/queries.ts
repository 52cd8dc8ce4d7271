import { visibleThroughAny } from '../access/visibility.ts';
import type { InWorkspace, Seeing } from '../context.ts';
import { type Bind, binding, equalBy, first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import type { StageKind } from './rules.ts';
import type { DealFilters, DealView, PipelineView } from './schema.ts';

export type PipelineRow = Omit<PipelineView, 'created_at'> & { readonly created_at: Date };

const PIPELINE = `select p.id, p.name, p.created_at,
    coalesce((select json_agg(json_build_object('id', s.id, 'name', s.name, 'kind', s.kind, 'position', s.position)
                              order by s.position)
              from stages s where s.organization_id = $1 and s.pipeline_id = p.id), '[]') as stages
  from pipelines p where p.organization_id = $1`;

export const selectPipeline = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<PipelineRow | null> =>
  first(sql, `${PIPELINE} and p.id = $2`, [organizationId, id], 'pipeline');

/** Returns one row more than asked for if there is one. */
export const selectPipelines = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<PipelineRow[]> =>
  sql.rows(`${PIPELINE} and ($3::text is null or p.id < $3) order by p.id desc limit $2`, [
    organizationId,
    limit + 1,
    after?.id ?? null,
  ]);

/** A stage with the name of its pipeline. */
export interface StageRow {
  readonly id: string;
  readonly name: string;
  readonly kind: StageKind;
  readonly pipelineId: string;
  readonly pipelineName: string;
}

/** Protected from removal until the transaction ends: the pipeline first, like whoever removes it. */
export const holdStage = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<StageRow | null> =>
  first(
    sql,
    `select s.id, s.name, s.kind, p.id as "pipelineId", p.name as "pipelineName"
     from stages s join pipelines p on p.organization_id = s.organization_id and p.id = s.pipeline_id
     where s.organization_id = $1 and s.id = $2 for key share of p, s`,
    [organizationId, id],
  );

type DealTimes = 'stage_entered_at' | 'closed_at' | 'created_at';
export type DealRow = Omit<DealView, DealTimes> & {
  readonly stage_entered_at: Date;
  readonly closed_at: Date | null;
  readonly created_at: Date;
  /** The conversation's number. */
  readonly number_id: string | null;
};

const DEAL = `select d.id, d.pipeline_id, d.stage_id, d.contact_id, d.conversation_id, d.title, d.value_cents, d.currency,
    d.owner_id, d.status, d.lost_reason, d.stage_entered_at, d.closed_at, d.created_at, v.number_id
  from deals d
  left join conversations v on v.organization_id = d.organization_id and v.id = d.conversation_id
  where d.organization_id = $1`;

/** A deal is visible to those who see its conversation; a deal without one is visible to everyone. */
function visibleDeals({ actor }: Pick<Seeing, 'actor'>, bind: Bind): string {
  const condition = visibleThroughAny(actor, 'd', bind);
  return condition === 'true' ? '' : ` and ${condition}`;
}

/**
 * @param lock keeps others from moving it meanwhile
 */
export function selectDeal(ctx: Seeing, id: string, lock = false): Promise<DealRow | null> {
  const { params, bind } = binding(ctx.organizationId, id);
  const visible = visibleDeals(ctx, bind);
  return first(ctx.sql, `${DEAL} and d.id = $2${visible}${lock ? ' for update of d' : ''}`, params);
}

/** Returns one row more than asked for if there is one. */
export function selectDeals(
  ctx: Seeing,
  pipelineId: string,
  { status, stage_id, owner_id, contact_id }: DealFilters,
  { limit, after }: PageRequest,
): Promise<DealRow[]> {
  const { params, bind } = binding(ctx.organizationId, pipelineId, limit + 1);
  const equal = equalBy(bind);
  const conditions = [
    'd.pipeline_id = $2',
    ...(after ? [`d.id < ${bind(after.id)}`] : []),
    ...equal('d.status', status),
    ...equal('d.stage_id', stage_id),
    ...equal('d.owner_id', owner_id),
    ...equal('d.contact_id', contact_id),
  ];
  const text = `${DEAL} and ${conditions.join(' and ')}${visibleDeals(ctx, bind)}`;
  return ctx.sql.rows(`${text} order by d.id desc limit $3`, params);
}

/** Those that came last into the stage, the last first. */
export function selectLatestInStage(
  ctx: Seeing,
  stageId: string,
  limit: number,
): Promise<DealRow[]> {
  const { params, bind } = binding(ctx.organizationId, stageId, limit);
  return ctx.sql.rows(
    `${DEAL} and d.stage_id = $2${visibleDeals(ctx, bind)}
     order by d.stage_entered_at desc, d.id desc limit $3`,
    params,
  );
}

/** A deal by the names of where it stands. */
export interface DealOfContact
  extends Pick<DealRow, 'id' | 'title' | 'value_cents' | 'currency' | 'status'> {
  readonly stage: string;
  readonly pipeline: string;
}

export function selectDealsOfContact(
  ctx: Seeing,
  contactId: string,
  limit: number,
): Promise<DealOfContact[]> {
  const { params, bind } = binding(ctx.organizationId, contactId, limit);
  return ctx.sql.rows(
    `select d.id, d.title, d.value_cents, d.currency, d.status, s.name as stage, p.name as pipeline
     from deals d
     join stages s on s.organization_id = d.organization_id and s.id = d.stage_id
     join pipelines p on p.organization_id = d.organization_id and p.id = d.pipeline_id
     where d.organization_id = $1 and d.contact_id = $2${visibleDeals(ctx, bind)}
     order by d.status <> 'open', d.id desc limit $3`,
    params,
  );
}
