import { listApiKeys } from '../../api-keys/service.ts';
import { stoppedCampaigns } from '../../campaigns/naming.ts';
import { unansweredConversations } from '../../conversations/assignment/unanswered.ts';
import { hasSent } from '../../conversations/sending/sent-yet.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { canSend } from '../../numbers/rules.ts';
import { type Html, html } from '../../pages/html.ts';
import { figures, notice } from '../../pages/parts.ts';
import { numbersReport } from '../../reports/numbers.ts';
import { failingEndpoints, pageOfEndpoints } from '../../webhooks/service.ts';
import { CAMPAIGNS } from '../campaigns/texts.ts';
import { asksAgain } from '../frame/live.ts';
import { atNewest } from '../inbox/address.ts';
import { partnersOf } from '../inbox/participants.ts';
import type { ConsolePage, Page } from '../page.ts';
import { CHOICES } from '../parts/listing.ts';
import { troubleOf } from '../webhooks/endpoint-status.ts';
import { HOME, STEPS, type Step } from './texts.ts';

const ONE = { limit: 1, after: null } as const;
const SHOWN = 20;

/** What remains to be set up, for those who can do it, what stands still and needs somebody, and today's figures. */
export const homePage: ConsolePage = {
  path: '',
  permission: null,
  nav: { group: 'work', name: (lang) => HOME[lang].nav },
  view: async (page) => {
    const texts = HOME[page.lang];
    const report = await numbersReport(page.ctx, { period: 'today' });
    const { attempted, delivered, lost, numbers } = report;
    const away = numbers.filter((number) => number.disconnected_at !== null);
    const { format } = page;
    return {
      title: texts.nav,
      live: true,
      content: html`<h1>${texts.hello(page.ctx.actor.name)}</h1>
${page.may('developers.manage') ? checklist(page, await stepsDone(page)) : null}
<section id="today"${asksAgain(page, { id: 'today', seconds: 15 })}>
<h2>${texts.today}</h2>
${disconnected(page, away)}
${await unanswered(page)}${await standingStill(page)}
${figures([
  { name: texts.attempted, value: format.number(attempted) },
  {
    name: texts.delivered,
    value: format.number(delivered),
    ...shareOf(page, delivered, attempted),
  },
  { name: texts.lost, value: format.number(lost), ...shareOf(page, lost, attempted) },
])}
${page.may('numbers.read') ? html`<p><a href="${page.base}/reports">${texts.reports}</a></p>` : null}
</section>`,
    };
  },
};

/** Numbers that send nothing; the page of each says why, and who has to see to it. */
function disconnected(
  page: Page,
  numbers: readonly { readonly id: string; readonly name: string }[],
): Html | null {
  if (numbers.length === 0) return null;
  const [before, behind] = HOME[page.lang].disconnected;
  const names = numbers.map(({ id, name }) =>
    page.may('numbers.read') ? html`<a href="${page.base}/numbers/${id}">${name}</a>` : name,
  );
  return notice(html`${before} ${inOneLine(names)}. ${behind(numbers.length)}`, 'warn');
}

const inOneLine = (names: readonly (Html | string)[]): Html[] =>
  names.map((name, i) => html`${i > 0 ? ', ' : null}${name}`);

/** Who waits in conversations that nobody answers, though they went round the team. */
async function unanswered(page: Page): Promise<Html | null> {
  const { ctx, base, lang } = page;
  const found = page.may('conversations.read') ? await unansweredConversations(ctx, SHOWN + 1) : [];
  if (found.length === 0) return null;
  const shown = found.slice(0, SHOWN);
  const texts = HOME[lang];
  const partnerOf = await partnersOf(page, shown);
  const names = inOneLine(
    shown.map((one) => html`<a href="${base}${atNewest(one.id)}">${partnerOf(one)}</a>`),
  );
  const more =
    found.length > SHOWN
      ? html`. <a href="${base}/inbox?status=open">${texts.moreUnanswered}</a>`
      : null;
  return notice(html`${texts.unanswered} ${names}${more}`, 'warn');
}

/** Campaigns that nobody paused, and endpoints that get nothing, for those who see them. */
async function standingStill(page: Page): Promise<Html[]> {
  const { ctx, base, lang } = page;
  const texts = HOME[lang];
  const { pauses } = CAMPAIGNS[lang];
  const said = ([before, behind]: readonly [string, string], path: string, name: string): Html =>
    html`${before} <a href="${base}${path}">${name}</a> ${behind}`;
  const campaigns = page.may('campaigns.read') ? await stoppedCampaigns(ctx, SHOWN + 1) : [];
  const endpoints = page.may('developers.read') ? await failingEndpoints(ctx) : [];
  return [
    ...campaigns
      .slice(0, SHOWN)
      .map(
        ({ id, name, reason }) =>
          html`${said(texts.paused, `/campaigns/${id}`, name)} ${pauses[reason]}`,
      ),
    ...(campaigns.length > SHOWN
      ? [html`<a href="${base}/campaigns?status=paused">${texts.morePaused}</a>`]
      : []),
    ...endpoints.map(({ id, name, ...failing }) =>
      said([texts.failing, troubleOf(page, failing).says], `/webhooks/${id}`, name),
    ),
  ].map((still) => notice(still, 'warn'));
}

const shareOf = ({ format }: Page, part: number, whole: number): { note?: string } =>
  whole === 0 ? {} : { note: format.percent(part / whole) };

async function stepsDone({ ctx }: Page): Promise<ReadonlySet<Step>> {
  const numbers = await listNumbers(ctx, CHOICES);
  const keys = await listApiKeys(ctx);
  const endpoints = await pageOfEndpoints(ctx, ONE);
  const done: Readonly<Record<Step, boolean>> = {
    number: numbers.data.some(({ status }) => canSend(status)),
    key: keys.some(({ status }) => status === 'active'),
    endpoint: endpoints.data.length > 0,
    message: await hasSent(ctx),
  };
  return new Set(STEPS.filter((step) => done[step]));
}

const PLACES: Readonly<Partial<Record<Step, string>>> = {
  number: '/numbers',
  key: '/api-keys',
  endpoint: '/webhooks',
  message: '/inbox',
};

/** Disappears once everything is ticked. */
function checklist({ lang, base }: Page, done: ReadonlySet<Step>): Html | null {
  if (done.size === STEPS.length) return null;
  const texts = HOME[lang];
  const item = (step: Step): Html => {
    const { title, text } = texts.steps[step];
    const place = PLACES[step];
    return html`<li${done.has(step) ? html` class="done"` : null}><span class="mark" aria-hidden="true">${done.has(step) ? '✓' : ''}</span><div><p><strong>${
      place ? html`<a href="${base}${place}">${title}</a>` : title
    }</strong> <span class="unseen">(${done.has(step) ? texts.done : texts.open})</span></p><p class="soft">${text}</p></div></li>`;
  };
  return html`<section class="card"><h2>${texts.start}</h2><ol class="steps">${STEPS.map(item)}</ol></section>`;
}
