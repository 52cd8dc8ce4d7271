import { listCampaigns } from '../../campaigns/reading.ts';
import { CAMPAIGN_STATUSES, type CampaignStatus } from '../../campaigns/rules.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, type Tone } from '../../pages/parts.ts';
import { bar, toNew } from '../frame/heading.ts';
import type { ConsolePage, Page } from '../page.ts';
import { allOrOne, chips, listed, oneOf, pageAfter } from '../parts/listing.ts';
import { recordIn, segmentNarrowing } from '../parts/narrowing.ts';
import { beginOf } from './facts.ts';
import { CAMPAIGNS } from './texts.ts';

const TONES: Readonly<Record<CampaignStatus, Tone>> = {
  draft: 'plain',
  scheduled: 'plain',
  sending: 'good',
  paused: 'warn',
  done: 'plain',
  cancelled: 'bad',
};

export const statusBadge = ({ lang }: Page, status: CampaignStatus): Html =>
  badge(CAMPAIGNS[lang].statuses[status], TONES[status]);

/** The campaigns of the workspace, newest first. */
export const campaignsPage: ConsolePage = {
  path: '/campaigns',
  permission: 'campaigns.read',
  nav: { group: 'work', name: (lang) => CAMPAIGNS[lang].nav },
  view: async (page) => {
    const texts = CAMPAIGNS[page.lang];
    const status = oneOf(page, 'status', CAMPAIGN_STATUSES);
    const segment_id = recordIn(page, 'segment_id', 'seg');
    const filters = { status, segment_id };
    const { data, next } = await listCampaigns(page.ctx, filters, pageAfter(page, 'cmp'));
    const time = (at: string | null): string => (at ? page.format.time(at) : '');
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'campaigns.create', texts.create))}
${await segmentNarrowing(page, segment_id, texts)}
${chips(page, 'status', allOrOne(texts.all, CAMPAIGN_STATUSES, texts.statuses), texts.filters)}
${listed(
  page,
  texts,
  data.map((campaign) => [
    html`<a href="${page.base}/campaigns/${campaign.id}">${campaign.name}</a>`,
    statusBadge(page, campaign.status),
    time(beginOf(campaign)),
    time(campaign.created_at),
  ]),
  next,
)}`,
    };
  },
};
