import { type Overview, overviewsOf } from '../../automations/overview.ts';
import { listAutomations } from '../../automations/reading.ts';
import { AUTOMATION_STATUSES, type AutomationStatus } from '../../automations/rules.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, type Tone } from '../../pages/parts.ts';
import { bar, toNew } from '../frame/heading.ts';
import type { ConsolePage, Page } from '../page.ts';
import { allOrOne, chips, listed, oneOf, pageAfter } from '../parts/listing.ts';
import { AUTOMATIONS } from './texts.ts';

type Automation = Awaited<ReturnType<typeof listAutomations>>['data'][number];

const TONES: Readonly<Record<AutomationStatus, Tone>> = {
  draft: 'plain',
  active: 'good',
  inactive: 'warn',
};

/** An automation's status, and whether its draft differs from the published version. */
export const standingOf = (
  { lang }: Page,
  { status, unpublished_edits: edited }: Pick<Automation, 'status' | 'unpublished_edits'>,
): Html => {
  const texts = AUTOMATIONS[lang];
  const differs = edited && status !== 'draft';
  return html`${badge(texts.statuses[status], TONES[status])}${differs ? html` ${badge(texts.edited, 'warn')}` : null}`;
};

/** The automations of the workspace, newest first. */
export const automationsPage: ConsolePage = {
  path: '/automations',
  permission: 'automations.read',
  nav: { group: 'work', name: (lang) => AUTOMATIONS[lang].nav },
  view: async (page) => {
    const texts = AUTOMATIONS[page.lang];
    const status = oneOf(page, 'status', AUTOMATION_STATUSES);
    const { data, next } = await listAutomations(page.ctx, { status }, pageAfter(page, 'atm'));
    const ids = data.map(({ id }) => id);
    const overviews = await overviewsOf(page.ctx, ids);
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'automations.activate', texts.create))}
<p class="soft">${texts.lead}</p>
${chips(page, 'status', allOrOne(texts.all, AUTOMATION_STATUSES, texts.statuses), texts.status)}
${listed(
  page,
  texts,
  data.map((one) => rowOf(page, one, overviews.get(one.id))),
  next,
)}`,
    };
  },
};

function rowOf(page: Page, one: Automation, overview: Overview | undefined) {
  const { format, base, lang } = page;
  const last = overview?.lastRunAt;
  return [
    html`<a href="${base}/automations/${one.id}">${one.name}</a>`,
    standingOf(page, one),
    overview ? AUTOMATIONS[lang].triggers[overview.trigger] : '',
    one.version === 0 ? '' : String(one.version),
    format.number(overview?.open ?? 0),
    last ? format.time(last) : '',
  ];
}
