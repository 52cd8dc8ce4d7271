import { namesOfCampaigns } from '../../campaigns/naming.ts';
import type { readCampaign } from '../../campaigns/reading.ts';
import { RETRIED } from '../../campaigns/rules.ts';
import { checkboxes } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { type Action, allOf, type Done, idOf, type Page, wasRefused } from '../page.ts';
import { form } from '../parts/form.ts';
import { CAMPAIGNS } from './texts.ts';

type Campaign = Awaited<ReturnType<typeof readCampaign>>;

/** Creates a new draft for those the campaign did not reach; sends nothing. */
export function again(page: Page, { status, results }: Campaign): Html | null {
  if (!page.may('campaigns.create') || (status !== 'done' && status !== 'paused')) return null;
  const lost = RETRIED.filter((one) => results[one] > 0);
  if (lost.length === 0) return null;
  const refused = wasRefused(page, 'retry');
  const { again: texts, outcomes } = CAMPAIGNS[page.lang];
  const boxes = checkboxes({
    name: 'statuses',
    label: texts.whom,
    // An unconfirmed recipient may have got it, so a person must choose to include them.
    chosen: refused ? allOf(page, 'statuses') : ['failed'],
    choices: lost.map((value) => ({
      value,
      label: `${outcomes[value]}: ${page.format.number(results[value])}`,
      ...(value === 'unconfirmed' ? { hint: texts.twice, danger: true } : {}),
    })),
    error: page.problems.get('statuses'),
  });
  const content = html`<p>${texts.lead}</p>${form(page, 'retry', html`${boxes}<button>${texts.button}</button>`)}`;
  return disclosure(texts.button, content, { open: refused });
}

/** Of a campaign that sends another one again: which, and what follows from it; null for all others. */
export async function repeated(
  { ctx, base, lang }: Page,
  { retry_of: id }: Pick<Campaign, 'retry_of'>,
): Promise<Html | null> {
  if (id === null) return null;
  const { again: texts } = CAMPAIGNS[lang];
  const name = (await namesOfCampaigns(ctx, [id])).get(id);
  const which = name ? html`<a href="${base}/campaigns/${id}">${name}</a>` : texts.another;
  return html`${which} (${texts.without})`;
}

export const retryAction: Action = {
  permission: 'campaigns.create',
  once: true,
  run: async (page): Promise<Done> => {
    const body = { statuses: [...allOf(page, 'statuses')] };
    const { id } = await call<{ id: string }>(page, 'retry_campaign', { id: idOf(page), body });
    return { to: `/campaigns/${id}`, flash: { text: CAMPAIGNS[page.lang].created } };
  },
};
