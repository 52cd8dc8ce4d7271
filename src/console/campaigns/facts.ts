import { type CampaignNames, campaignNames } from '../../campaigns/naming.ts';
import { contactNames, nameOfContact } from '../../contacts/names.ts';
import { type Html, html } from '../../pages/html.ts';
import type { Fact } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { repeated } from './again.ts';
import type { Campaign } from './progress.ts';
import { CAMPAIGNS } from './texts.ts';

/** A draft keeps the time that it was once scheduled for, but does not begin by itself. */
export const beginOf = (campaign: Pick<Campaign, 'status' | 'started_at' | 'send_at'>) =>
  campaign.status === 'draft' ? null : (campaign.started_at ?? campaign.send_at);

/** What is sent, by which number and to whom, and when. */
export async function factsOf(page: Page, campaign: Campaign): Promise<Fact[]> {
  const { lang, format } = page;
  const texts = CAMPAIGNS[lang];
  const names = await campaignNames(page.ctx, campaign.id);
  const begins = beginOf(campaign);
  const begun = campaign.started_at !== null;
  const end = campaign.estimated_finish_at;
  return [
    [texts.again.repeats, await repeated(page, campaign)],
    [texts.number, [names?.number, names?.phone].filter(Boolean).join(', ') || texts.gone],
    [texts.audience, names ? await audienceText(page, campaign, names) : texts.gone],
    [texts.text, html`<span class="written">${campaign.text}</span>`],
    [texts.pace, texts.perMinute(format.number(campaign.effective_pace ?? campaign.pace))],
    [begun ? texts.began : texts.begins, begins && format.time(begins)],
    [texts.endsAbout, end && format.time(end)],
  ];
}

async function audienceText(
  page: Page,
  campaign: Campaign,
  names: CampaignNames,
): Promise<Html | string> {
  const { base, lang } = page;
  const { gone, targets } = CAMPAIGNS[lang];
  const { segment, pipeline, groups, stages } = names;
  switch (campaign.target) {
    case 'contacts':
      return contactsText(page, campaign.contact_ids);
    case 'groups':
      return groups.length === 0 ? gone : targets.groups(groups.join(', '));
    case 'segment':
      if (segment === null) return gone;
      return html`<a href="${base}/segments/${campaign.segment_id}">${targets.segment(segment)}</a>`;
    case 'pipeline':
      if (pipeline === null) return gone;
      return html`<a href="${base}/pipelines/${campaign.pipeline_id}">${targets.pipeline(pipeline, stages.join(', '))}</a>`;
  }
}

/** More names than these are a list, which the edit page and the recipients have. */
const NAMED = 3;

async function contactsText(page: Page, ids: readonly string[]): Promise<Html | string> {
  const { gone, targets } = CAMPAIGNS[page.lang];
  if (ids.length > NAMED) return targets.contacts(page.format.number(ids.length));
  const found = await contactNames(page.ctx, ids);
  return html`${ids.map((id, i) => {
    const one = found.get(id);
    const shown = one
      ? html`<a href="${page.base}/contacts/${id}">${nameOfContact(one)}</a>`
      : gone;
    return html`${i > 0 ? ', ' : null}${shown}`;
  })}`;
}
