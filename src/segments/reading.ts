import type { InWorkspace, ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { presentMatching, presentSegment } from './present.ts';
import { type SegmentRow, selectMatching, selectSegment, selectSegments } from './queries.ts';
import type { MatchingView, SegmentView } from './schema.ts';
import { countSeen, momentFor, rulesOf } from './service.ts';
import { isTooHeavy, withinTimeLimit } from './time-limit.ts';
import { seesInPart } from './visibility.ts';

/**
 * With each segment's stored count, which is of a day ago at most, unless the rules have become too expensive. It counts
 * the whole workspace: where the reader sees less of what the rules ask about, there is none.
 */
export async function listSegments(
  ctx: ReadContext,
  page: PageRequest,
): Promise<PageOf<SegmentView>> {
  return pageOf(await selectSegments(ctx, page), page, (row) => presentStored(ctx, row));
}

/** All of them, newest first, by name and when they were made, for several may have one name: for lists of choices. */
export const segmentNames = ({
  sql,
  organizationId,
}: InWorkspace): Promise<
  { readonly id: string; readonly name: string; readonly created_at: Date }[]
> =>
  sql.rows(
    'select id, name, created_at from segments where organization_id = $1 order by id desc',
    [organizationId],
  );

const presentStored = ({ actor }: ReadContext, row: SegmentRow): SegmentView =>
  presentSegment(seesInPart(actor, row.rules) ? { ...row, count: null, counted_at: null } : row);

async function rowOf(ctx: InWorkspace, id: string): Promise<SegmentRow> {
  const row = await selectSegment(ctx, id);
  if (!row) throw notFound('segment');
  return row;
}

/** With its stored count: nobody waits for another one. */
export const storedSegment = async (ctx: InWorkspace, id: string): Promise<SegmentView> =>
  presentSegment(await rowOf(ctx, id));

/**
 * Counts the matches now, by what the caller sees. If the rules have become too expensive to count, the last count is
 * returned as in a list.
 */
export async function readSegment(ctx: ReadContext, id: string): Promise<SegmentView> {
  const row = await rowOf(ctx, id);
  try {
    const count = await countSeen(ctx, row.rules);
    return presentSegment({ ...row, count, counted_at: ctx.now });
  } catch (error) {
    if (isTooHeavy(error)) return presentStored(ctx, row);
    throw error;
  }
}

/** Contacts that match now by what the caller sees, newest first (specification, `GET /v1/segments/{id}/contacts`). */
export async function listSegmentContacts(
  ctx: ReadContext,
  id: string,
  page: PageRequest,
): Promise<PageOf<MatchingView>> {
  const rules = await rulesOf(ctx, id);
  if (!rules) throw notFound('segment');
  const moment = await momentFor(ctx);
  const onePast = { limit: page.limit + 1, after: page.after?.id ?? null };
  const rows = await withinTimeLimit(ctx.sql, () => selectMatching(ctx, rules, moment, onePast));
  return pageOf(rows, page, presentMatching);
}
