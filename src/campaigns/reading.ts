import type { ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { roughAudience } from './audience/estimating.ts';
import { estimatedFinishes } from './forecast.ts';
import { presentCampaign, presentDetail, presentRecipient } from './present.ts';
import {
  findCampaign,
  findDetail,
  knowsCampaign,
  listCampaignRows,
  listRecipientRows,
} from './queries.ts';
import { isFinal, type RecipientStatus } from './rules.ts';
import type { CampaignDetailView, CampaignFilters, CampaignView, RecipientView } from './schema.ts';

/** A campaign as returned by mutations. */
export async function viewCampaign(ctx: ReadContext, id: string): Promise<CampaignView> {
  const row = await findCampaign(ctx, id);
  if (!row) throw notFound('campaign');
  const finishes = await estimatedFinishes(ctx, [row]);
  return presentCampaign(row, { now: ctx.now, finish: finishes.get(id) ?? null });
}

/** With audience and results (specification, GET one). */
export async function readCampaign(ctx: ReadContext, id: string): Promise<CampaignDetailView> {
  const row = await findDetail(ctx, id);
  if (!row) throw notFound('campaign');
  // One that was cancelled before its audience was frozen stays with those who were written down by then.
  const settled = row.frozen_at !== null || isFinal(row.status);
  const estimate = settled ? null : await roughAudience(ctx, row);
  const estimates = new Map(estimate ? [[id, estimate]] : []);
  const finishes = await estimatedFinishes(ctx, [row], estimates);
  return presentDetail(row, estimate, { now: ctx.now, finish: finishes.get(id) ?? null });
}

/** The campaigns that the actor can see, newest first, without audience and results. */
export async function listCampaigns(
  ctx: ReadContext,
  filters: CampaignFilters,
  page: PageRequest,
): Promise<PageOf<CampaignView>> {
  const rows = await listCampaignRows(ctx, filters, onePastThe(page));
  const { data, ...rest } = pageOf(rows, page, (row) => row);
  const finishes = await estimatedFinishes(ctx, data);
  const views = data.map((row) =>
    presentCampaign(row, { now: ctx.now, finish: finishes.get(row.id) ?? null }),
  );
  return { data: views, ...rest };
}

/** Newest first. Throws 404 for a campaign that the actor cannot see. */
export async function listRecipients(
  ctx: ReadContext,
  filter: { campaignId: string; status: RecipientStatus | null },
  page: PageRequest,
): Promise<PageOf<RecipientView>> {
  if (!(await knowsCampaign(ctx, filter.campaignId))) throw notFound('campaign');
  const rows = await listRecipientRows(ctx.sql, ctx.organizationId, filter, onePastThe(page));
  return pageOf(rows, page, presentRecipient);
}

const onePastThe = (page: PageRequest) => ({
  limit: page.limit + 1,
  after: page.after?.id ?? null,
});
