import type { ReadContext } from '../../context.ts';
import type { Bind } from '../../db/sql.ts';
import type { Rules } from '../../segments/rules.ts';
import { momentOf, rulesOf, segmentCondition } from '../../segments/service.ts';
import type { CampaignTarget } from '../rules.ts';

/** An audience given by rules rather than by a list. */
export interface RuleTarget {
  readonly target: CampaignTarget;
  readonly segment_id: string | null;
  /** The segment's rules when the campaign began. */
  readonly segment_rules?: Rules | null;
  readonly pipeline_id: string | null;
  readonly stage_ids: readonly string[];
}

/** SQL: whether the campaign is for contact `c`. */
export type Reached = (bind: Bind) => string;

type Asking = Pick<ReadContext, 'sql' | 'organizationId' | 'now'>;

/** Who a segment or a pipeline reaches at `ctx.now`; null for a target that is a list. */
export async function reachOf(ctx: Asking, audience: RuleTarget): Promise<Reached | null> {
  if (audience.target === 'pipeline') return inPipeline(audience);
  if (audience.target !== 'segment') return null;
  const rules =
    audience.segment_rules ?? (audience.segment_id && (await rulesOf(ctx, audience.segment_id)));
  if (!rules) return () => 'false';
  const moment = await momentOf(ctx);
  return (bind) => segmentCondition(rules, bind, moment);
}

/** Everyone with an open deal in the pipeline, or in these of its stages. */
const inPipeline =
  ({ pipeline_id, stage_ids }: RuleTarget): Reached =>
  (bind) => {
    const stages = `${bind(stage_ids)}::text[]`;
    return `exists (select from deals d where d.organization_id = c.organization_id and d.contact_id = c.id
      and d.pipeline_id = ${bind(pipeline_id)} and d.status = 'open'
      and (cardinality(${stages}) = 0 or d.stage_id = any (${stages})))`;
  };
