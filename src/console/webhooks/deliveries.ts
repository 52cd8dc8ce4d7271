import type { Context } from '../../context.ts';
import { hidden, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import {
  badge,
  code,
  figures,
  knownFacts,
  linkButton,
  type Tone,
  table,
} from '../../pages/parts.ts';
import type { DeliveryStatus } from '../../webhooks/rules.ts';
import { ask, call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { asksAgain } from '../frame/live.ts';
import { type ConsolePage, type Done, idOf, type Page, partOf } from '../page.ts';
import { form } from '../parts/form.ts';
import { allOrOne, chips, oneOf, searched, searchForm } from '../parts/listing.ts';
import { DELIVERIES } from './delivery-texts.ts';
import { WEBHOOKS } from './texts.ts';
import type { DeliveryDetailView, DeliveryView, EndpointView } from './views.ts';

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'plain',
  retrying: 'warn',
  succeeded: 'good',
  failed: 'bad',
  blocked: 'bad',
  held: 'warn',
};

const SAID_BY_ITS_CODE: ReadonlySet<string> = new Set(['status', 'redirect']);

const STATUSES = Object.keys(TONES) as readonly DeliveryStatus[];

/** Of the API. */
const MAX_ID = 100;

/** The endpoint's newest deliveries, or that of one event; the section refreshes itself while it is open. */
export async function deliveriesSection(page: Page, { id }: EndpointView): Promise<Html> {
  const texts = DELIVERIES[page.lang];
  const status = oneOf(page, 'status', STATUSES);
  const event = searched(page, 'event_id', MAX_ID);
  const query = { limit: '50', ...(status && { status }), ...(event && { event_id: event }) };
  const { data } = await ask<{ data: DeliveryView[] }>(page, 'list_webhook_deliveries', {
    id,
    query,
  });
  return html`${finding(page, event)}<section id="deliveries"${asksAgain(page, { id: 'deliveries', seconds: 5 })}>
<h2>${texts.recent}</h2>
${health(page, data)}
${chips(page, 'status', allOrOne(texts.all, STATUSES, texts.statuses), texts.columns[1])}
${table({
  caption: texts.recent,
  columns: texts.columns,
  none: event ? texts.noneOfEvent : texts.none,
  rows: data.map((delivery) => rowOf(page, delivery)),
})}
</section>`;
}

/** Outside of what refreshes itself, which would take away what is being typed. */
function finding(page: Page, event = ''): Html {
  const texts = DELIVERIES[page.lang];
  const id = textField({
    name: 'event_id',
    type: 'search',
    label: texts.findLabel,
    maxLength: MAX_ID,
    value: event,
  });
  const all = event === '' ? null : linkButton(page.path, texts.everything, true);
  return searchForm(page, id, texts.find, all);
}

/** For the deliveries shown: how many arrived, and the 95th percentile of the answer time. */
function health({ lang, format }: Page, deliveries: readonly DeliveryView[]): Html | null {
  const texts = DELIVERIES[lang];
  const ended = deliveries.filter(({ finished_at: end }) => end !== null);
  const durations = deliveries
    .flatMap(({ duration_ms: ms }) => (ms === null ? [] : [ms]))
    .toSorted((a, b) => a - b);
  const p95 = durations[Math.ceil(durations.length * 0.95) - 1];
  if (ended.length === 0 && p95 === undefined) return null;
  const good = ended.filter(({ status }) => status === 'succeeded').length;
  const note = texts.ofShown;
  return figures([
    {
      name: texts.success,
      value: ended.length === 0 ? '–' : format.percent(good / ended.length),
      note,
    },
    { name: texts.p95, value: p95 === undefined ? '–' : format.duration(p95), note },
  ]);
}

function rowOf(page: Page, one: DeliveryView): (Html | string | number)[] {
  const { base, lang, format } = page;
  const texts = DELIVERIES[lang];
  return [
    html`<a href="${base}/webhooks/${one.webhook_id}/deliveries/${one.id}">${one.type}</a>`,
    badge(texts.statuses[one.status], TONES[one.status]),
    resultOf(page, one),
    one.duration_ms === null ? '–' : format.duration(one.duration_ms),
    one.attempts,
    one.next_attempt_at ? format.time(one.next_attempt_at) : '–',
    format.time(one.created_at),
  ];
}

const reasonOf = ({ lang }: Page, error: string): string => DELIVERIES[lang].errors[error] ?? error;

/** The last answer, and what else ended it. */
function resultOf(page: Page, { code: status, error, finished_at }: DeliveryView): string | number {
  if (error === null || SAID_BY_ITS_CODE.has(error)) return status ?? '–';
  const reason = reasonOf(page, error);
  if (status === null) return reason;
  return finished_at === null ? status : `${status}, ${reason}`;
}

const MAY_RESEND: readonly DeliveryStatus[] = ['retrying', 'succeeded', 'failed', 'blocked'];

export const deliveryPage: ConsolePage = {
  path: '/webhooks/:id/deliveries/:part',
  id: 'whk',
  part: 'dlv',
  permission: 'developers.read',
  view: async (page) => {
    const texts = DELIVERIES[page.lang];
    const { nav, resend } = WEBHOOKS[page.lang];
    const named = { id: idOf(page), part: partOf(page) };
    const endpoint = await ask<EndpointView>(page, 'get_webhook', named);
    const one = await ask<DeliveryDetailView>(page, 'get_webhook_delivery', named);
    const again = form(page, 'resend', html`${hidden('id', one.id)}<button>${resend}</button>`);
    const may = page.may('developers.manage') && MAY_RESEND.includes(one.status);
    const { status: state } = one;
    const open = one.finished_at === null;
    return {
      title: `${texts.one}: ${one.type}`,
      live: open,
      state,
      content: html`${crumbs(page, ['/webhooks', nav], [`/webhooks/${named.id}`, endpoint.name])}
${bar(one.type, may ? again : null)}
<div id="delivery"${open ? asksAgain(page, { id: 'delivery', seconds: 5, state }) : null}>${facts(page, one)}
<h2>${texts.body}</h2>${code(one.body, texts.body)}
<h2>${texts.attempts}</h2>${attempts(page, one)}
${schedule(page, one)}</div>`,
    };
  },
  actions: {
    resend: {
      permission: 'developers.manage',
      once: true,
      run: async (page: Page<Context>): Promise<Done> => {
        const id = idOf(page);
        const part = partOf(page);
        const { status } = await call<DeliveryView>(page, 'resend_webhook_delivery', { id, part });
        const { resent, resendHeld } = WEBHOOKS[page.lang];
        const text = status === 'held' ? resendHeld : resent;
        return { to: `/webhooks/${id}/deliveries/${part}`, flash: { text } };
      },
    },
  },
};

function facts(page: Page, one: DeliveryDetailView): Html {
  const { lang, format } = page;
  const texts = DELIVERIES[lang];
  // What no attempt tells: that its time was over, or that somebody ended it.
  const told = one.finished_at === null || one.error === one.attempt_log.at(-1)?.error;
  return knownFacts([
    [texts.columns[1], badge(texts.statuses[one.status], TONES[one.status])],
    [texts.attemptColumns[4], one.error && !told ? reasonOf(page, one.error) : null],
    [html`<code>webhook-id</code>`, html`<code>${one.event_id}</code>`],
    [texts.happened, format.time(one.created_at)],
    [texts.columns[5], one.next_attempt_at && format.time(one.next_attempt_at)],
  ]);
}

function attempts(page: Page, { attempt_log: log }: DeliveryDetailView): Html {
  const { lang, format } = page;
  const texts = DELIVERIES[lang];
  return table({
    caption: texts.attempts,
    columns: texts.attemptColumns,
    none: texts.noAttempt,
    rows: log.map(({ number, started_at, code: status, duration_ms, error, response }) => [
      number,
      format.moment(started_at),
      status ?? '–',
      format.duration(duration_ms),
      html`${error ? reasonOf(page, error) : null}${response ? html` <code>${response}</code>` : null}`,
    ]),
  });
}

function schedule({ lang, format }: Page, { schedule: times }: DeliveryDetailView): Html | null {
  if (times.length === 0) return null;
  const texts = DELIVERIES[lang];
  return html`<h2>${texts.schedule}</h2><p class="soft">${texts.scheduleNote}</p><ol>${times.map(
    (at) => html`<li><time datetime="${at}">${format.moment(at)}</time></li>`,
  )}</ol>`;
}
