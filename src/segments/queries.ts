import { AUTOMATIONS_SAID } from '../automated/references.ts';
import type { InWorkspace } from '../context.ts';
import { binding, first } from '../db/sql.ts';
import type { PageRequest } from '../http/route.ts';
import { segmentCondition } from './compiling.ts';
import type { Moment } from './moments.ts';
import type { Rules } from './rules.ts';
import type { SegmentView } from './schema.ts';

/** How many records that are still to act use a segment. */
interface UsedBy {
  readonly campaigns: number;
  readonly reminders: number;
  readonly automations: number;
}

export interface SegmentRow {
  readonly id: string;
  readonly name: string;
  readonly rules: Rules;
  readonly count: number | null;
  readonly counted_at: Date | null;
  readonly used_by: UsedBy;
  readonly status: SegmentView['status'];
  readonly created_at: Date;
}

// The definitions of automations are read once for the whole page.
const SEGMENTS = `
with said as materialized (${AUTOMATIONS_SAID})
select s.id, s.name, s.rules, s.count, s.counted_at, s.status, s.created_at, json_build_object(
  'campaigns', (select count(*) from campaigns k where k.organization_id = $1 and k.segment_id = s.id
    and k.status in ('draft', 'scheduled', 'sending', 'paused')),
  'reminders', (select count(*) from reminders m where m.organization_id = $1 and m.segment_id = s.id
    and m.status = 'active'),
  'automations', (select count(*) from said where position(s.id in said.words) > 0)) as used_by
from segments s where s.organization_id = $1`;

export const selectSegment = (
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<SegmentRow | null> => first(sql, `${SEGMENTS} and s.id = $2`, [organizationId, id]);

/** Newest first, and one more than the page holds. */
export const selectSegments = (
  { sql, organizationId }: InWorkspace,
  { limit, after }: PageRequest,
): Promise<SegmentRow[]> =>
  sql.rows(
    `${SEGMENTS} and ($2::text is null or s.id < $2) order by s.id desc limit $3`,
    [organizationId, after?.id ?? null, limit + 1],
    'segments',
  );

/** How many contacts of the workspace match the rules now. */
export const countMatching = async (
  ctx: InWorkspace,
  rules: Rules,
  moment: Moment,
): Promise<number> =>
  (await summed<{ count: number }>(ctx, 'count(*) as count', rules, moment))?.count ?? 0;

/** How many contacts match now, and the newest of them. */
export async function sampleMatching(
  ctx: InWorkspace,
  rules: Rules,
  moment: Moment,
  size: number,
): Promise<{ count: number; sample: MatchingRow[] }> {
  const found = await summed<{ count: number; newest: string | null }>(
    ctx,
    'count(*) as count, max(c.id) as newest',
    rules,
    moment,
  );
  if (!found?.newest) return { count: 0, sample: [] };
  const { count, newest } = found;
  // From the newest on, and no more than there are: otherwise a few would be looked for among all contacts again.
  const page = { limit: Math.min(size, count), after: null, newest };
  return { count, sample: await selectMatching(ctx, rules, moment, page) };
}

function summed<R>(
  { sql, organizationId }: InWorkspace,
  columns: string,
  rules: Rules,
  moment: Moment,
): Promise<R | null> {
  const { condition, params } = compiled([organizationId], rules, moment);
  const text = `select ${columns} from contacts c where c.organization_id = $1 and ${condition}`;
  return first<R>(sql, text, params);
}

export interface MatchingRow {
  readonly id: string;
  readonly name: string;
  readonly phone: string | null;
  readonly email: string | null;
  readonly opted_out: boolean;
  readonly created_at: Date;
}

/** Newest first, at most `limit`, below the id `after`, and from `newest` on if the newest is known. */
export function selectMatching(
  { sql, organizationId }: InWorkspace,
  rules: Rules,
  moment: Moment,
  { limit, after, newest = null }: { limit: number; after: string | null; newest?: string | null },
): Promise<MatchingRow[]> {
  const { condition, params } = compiled([organizationId, after, limit, newest], rules, moment);
  return sql.rows(
    `select c.id, c.name, c.phone, c.email, c.opted_out, c.created_at from contacts c
     where c.organization_id = $1 and ($2::text is null or c.id < $2) and ($4::text is null or c.id <= $4)
       and ${condition}
     order by c.id desc limit $3`,
    params,
  );
}

function compiled(
  given: unknown[],
  rules: Rules,
  moment: Moment,
): { condition: string; params: unknown[] } {
  const { params, bind } = binding(...given);
  return { condition: segmentCondition(rules, bind, moment), params };
}
