import type { InWorkspace, ReadContext, Seeing } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { presentDeal, presentPipeline } from './present.ts';
import {
  type DealOfContact,
  selectDeal,
  selectDeals,
  selectDealsOfContact,
  selectLatestInStage,
  selectPipeline,
  selectPipelines,
} from './queries.ts';
import type { DealFilters, DealView, PipelineView } from './schema.ts';

/** A pipeline with its stages in their order. Throws 404. */
export async function getPipeline(ctx: InWorkspace, id: string): Promise<PipelineView> {
  const row = await selectPipeline(ctx, id);
  if (!row) throw notFound('pipeline');
  return presentPipeline(row);
}

/** Newest first. */
export async function listPipelines(
  ctx: InWorkspace,
  page: PageRequest,
): Promise<PageOf<PipelineView>> {
  return pageOf(await selectPipelines(ctx, page), page, presentPipeline);
}

/** A deal that the member cannot see counts as missing. */
export async function getDeal(ctx: Seeing, id: string): Promise<DealView> {
  const row = await selectDeal(ctx, id);
  if (!row) throw notFound('deal');
  return presentDeal(row);
}

/** Newest first. */
export async function listDeals(
  ctx: ReadContext,
  pipelineId: string,
  filters: DealFilters,
  page: PageRequest,
): Promise<PageOf<DealView>> {
  await getPipeline(ctx, pipelineId);
  return pageOf(await selectDeals(ctx, pipelineId, filters, page), page, presentDeal);
}

/** The deals that came last into a stage, the last first, as far as the member sees them. */
export const latestInStage = async (
  ctx: Seeing,
  stageId: string,
  limit: number,
): Promise<DealView[]> => (await selectLatestInStage(ctx, stageId, limit)).map(presentDeal);

/** Of one contact in all pipelines, as far as the member sees them: open ones first, then the newest. */
export const dealsOfContact = (
  ctx: Seeing,
  contactId: string,
  limit: number,
): Promise<DealOfContact[]> => selectDealsOfContact(ctx, contactId, limit);
