import { previewCampaign } from '../../campaigns/audience/previewing.ts';
import { listRecipients, viewCampaign } from '../../campaigns/reading.ts';
import { type CampaignStatus, RECIPIENT_STATUSES } from '../../campaigns/rules.ts';
import { createContext } from '../../db/contexts.ts';
import { type Html, html } from '../../pages/html.ts';
import { figures, linkButton, notice, table } from '../../pages/parts.ts';
import { crumbs } from '../frame/heading.ts';
import { lossText } from '../inbox/losses.ts';
import { type ConsolePage, idOf, type Page } from '../page.ts';
import { allOrOne, chips, following, oneOf, pageAfter } from '../parts/listing.ts';
import { recipientNames } from '../parts/recipients.ts';
import { leftOut } from './progress.ts';
import { CAMPAIGNS } from './texts.ts';

const head = (page: Page, id: string, name: string, title: string): Html =>
  html`${crumbs(page, ['/campaigns', CAMPAIGNS[page.lang].nav], [`/campaigns/${id}`, name])}<h1>${title}</h1>`;

/** Who would get it, who would not and why, and when it would end. Sends nothing. */
export const previewPage: ConsolePage = {
  path: '/campaigns/:id/preview',
  id: 'cmp',
  permission: 'campaigns.read',
  view: async (page) => {
    const texts = CAMPAIGNS[page.lang];
    const id = idOf(page);
    const { name, status } = await viewCampaign(page.ctx, id);
    const preview = await previewCampaign(createContext(page.parts, own(page)), id);
    return {
      title: `${texts.preview}: ${name}`,
      content: html`${head(page, id, name, texts.preview)}<p class="soft">${texts.previewLead}</p>
${summary(page, status, preview)}
<h2>${texts.reached}</h2>${table({
        caption: texts.reached,
        columns: texts.whom,
        rows: preview.recipients.map((one) => [
          one.name,
          one.phone,
          html`<span class="written">${one.text}</span>`,
        ]),
      })}
${leftOut(page, preview.audience.excluded)}${preview.left_out.length === 0 ? null : examples(page, preview)}`,
    };
  },
};

/** A preview reads in its own transaction. */
const own = ({ ctx: { organizationId, actor, now, request } }: Page) => ({
  organizationId,
  actor,
  now,
  ...(request ? { request } : {}),
});

type Preview = Awaited<ReturnType<typeof previewCampaign>>;

function summary(
  page: Page,
  status: CampaignStatus,
  { audience, starts_at: begins, estimated_finish_at: end, pauses }: Preview,
) {
  const texts = CAMPAIGNS[page.lang];
  const { number, time } = page.format;
  // A draft with a time of its own is previewed for that, but may be sent at once.
  const isOpen = status === 'draft' && new Date(begins) > page.ctx.now;
  return html`${figures([
    {
      name: texts.audience,
      value: texts.gets(number(audience.eligible), number(audience.total)),
      ...(end
        ? { note: isOpen ? texts.endsIf(time(begins), time(end)) : texts.ends(time(end)) }
        : {}),
    },
  ])}${pauses ? notice(stopText(page, pauses), 'warn') : null}`;
}

function stopText({ lang, format }: Page, { reason, at, left }: NonNullable<Preview['pauses']>) {
  const { pausesAt, beyondMonth, pauses } = CAMPAIGNS[lang];
  if (reason === 'daily_limit') return pausesAt(format.time(at), format.number(left));
  return reason === 'quota' ? beyondMonth : pauses[reason];
}

function examples({ lang }: Page, { left_out: people }: Preview): Html {
  const texts = CAMPAIGNS[lang];
  return html`<h3>${texts.firstLeftOut}</h3>${table({
    caption: texts.firstLeftOut,
    columns: [texts.whom[0], texts.whom[1], texts.recipientColumns[3]],
    rows: people.map(({ name, phone, reason }) => [name, phone, texts.exclusions[reason]]),
  })}`;
}

type Recipient = Awaited<ReturnType<typeof listRecipients>>['data'][number];

/** Why someone did not get it: left out by us, or failed. */
function reasonOf({ lang }: Page, { status, reason }: Recipient): string | null {
  if (reason === null) return null;
  const { exclusions, unreachable } = CAMPAIGNS[lang];
  if (status === 'skipped' && reason === 'no_recipient') return unreachable;
  const known: Readonly<Record<string, string>> = exclusions;
  return known[reason] ?? lossText(lang, { reason, message: reason });
}

/** The outcome for each person. */
export const recipientsPage: ConsolePage = {
  path: '/campaigns/:id/recipients',
  id: 'cmp',
  permission: 'campaigns.read',
  view: async (page) => {
    const texts = CAMPAIGNS[page.lang];
    const id = idOf(page);
    const { name } = await viewCampaign(page.ctx, id);
    const status = oneOf(page, 'status', RECIPIENT_STATUSES) ?? null;
    const filter = { campaignId: id, status };
    const { data, next } = await listRecipients(page.ctx, filter, pageAfter(page, 'rcp'));
    const nameOf = await recipientNames(page, data, texts.gone);
    return {
      title: `${texts.recipients}: ${name}`,
      content: html`${head(page, id, name, texts.recipients)}
${page.may('contacts.export') ? html`<p>${linkButton(`${page.path}.csv`, texts.csv, true)}</p>` : null}
${chips(page, 'status', allOrOne(texts.all, RECIPIENT_STATUSES, texts.outcomes), texts.results)}
${table({
  caption: texts.recipients,
  columns: texts.recipientColumns,
  none: texts.noRecipients,
  rows: data.map((one) => [
    nameOf(one),
    one.phone,
    texts.outcomes[one.status],
    reasonOf(page, one),
    one.settled_at ? page.format.time(one.settled_at) : null,
  ]),
})}${following(page, next)}`,
    };
  },
};
