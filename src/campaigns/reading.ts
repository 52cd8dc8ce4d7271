import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { type AudienceCounts, estimateAudience } from './audience.ts';
import { presentCampaign, presentDetail, presentRecipient } from './present.ts';
import {
  type CampaignFilters,
  type DetailRow,
  findCampaign,
  findDetail,
  listCampaignRows,
  listRecipientRows,
} from './queries.ts';
import type { RecipientStatus } from './rules.ts';
import type { CampaignDetailView, CampaignView, RecipientView } from './schema.ts';

/** One campaign as mutations answer it. */
export async function viewCampaign(ctx: ReadContext, id: string): Promise<CampaignView> {
  const row = await findCampaign(ctx.sql, ctx.organizationId, id);
  if (!row) throw notFound('campaign');
  return presentCampaign(row, ctx.now);
}

/** With audience and results (specification, GET one). */
export async function readCampaign(ctx: ReadContext, id: string): Promise<CampaignDetailView> {
  const row = await findDetail(ctx.sql, ctx.organizationId, id);
  if (!row) throw notFound('campaign');
  return presentDetail(row, row.frozen_at ? null : await estimate(ctx, row), ctx.now);
}

async function estimate(ctx: ReadContext, row: DetailRow): Promise<AudienceCounts> {
  const number = await first<{ window_24h: boolean }>(
    ctx.sql,
    'select window_24h from numbers where organization_id = $1 and id = $2',
    [ctx.organizationId, row.number_id],
  );
  return estimateAudience(ctx.sql, ctx.organizationId, row.contact_ids, {
    text: row.text,
    numberId: row.number_id,
    window24h: number?.window_24h ?? false,
    now: ctx.now,
  });
}

export async function listCampaigns(
  ctx: ReadContext,
  filters: CampaignFilters,
  page: PageRequest,
): Promise<PageOf<CampaignView>> {
  const rows = await listCampaignRows(ctx.sql, ctx.organizationId, filters, onePastThe(page));
  return pageOf(rows, page, (row) => presentCampaign(row, ctx.now));
}

export async function listRecipients(
  ctx: ReadContext,
  filter: { campaignId: string; status: RecipientStatus | null },
  page: PageRequest,
): Promise<PageOf<RecipientView>> {
  const known = await first(
    ctx.sql,
    'select from campaigns where organization_id = $1 and id = $2',
    [ctx.organizationId, filter.campaignId],
  );
  if (!known) throw notFound('campaign');
  const rows = await listRecipientRows(ctx.sql, ctx.organizationId, filter, onePastThe(page));
  return pageOf(rows, page, presentRecipient);
}

const onePastThe = (page: PageRequest) => ({
  limit: page.limit + 1,
  after: page.after?.id ?? null,
});
