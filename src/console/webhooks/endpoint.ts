import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { verifiers } from '../../docs/verifiers.ts';
import { selectField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { code, codes, disclosure, knownFacts, linkButton, notice } from '../../pages/parts.ts';
import { backgroundOfEndpoint, failingEndpoints, getEndpoint } from '../../webhooks/service.ts';
import { ask, call } from '../calling.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { type Action, type ConsolePage, type Flash, field, idOf, type Page } from '../page.ts';
import { askFirst, form } from '../parts/form.ts';
import { deliveriesSection } from './deliveries.ts';
import { standing } from './endpoint-status.ts';
import { WEBHOOKS } from './texts.ts';
import type { DeliveryView, EndpointView, RotatedView } from './views.ts';

/** Performs an operation on the endpoint and returns to it. */
const operation = (
  name: string,
  said: (page: Page<Context>, answer: unknown) => Flash | Promise<Flash>,
  bodyOf: (page: Page<Context>) => Readonly<Record<string, unknown>> | null = () => null,
): Action => ({
  permission: 'developers.manage',
  once: true,
  run: async (page) => {
    const answer = await call(page, name, { id: idOf(page), body: bodyOf(page) });
    return { to: `/webhooks/${idOf(page)}`, flash: await said(page, answer) };
  },
});

const textOf =
  (key: 'paused' | 'resumed') =>
  ({ lang }: Page): { text: string } => ({ text: WEBHOOKS[lang][key] });

const actions: Readonly<Record<string, Action>> = {
  pause: operation('pause_webhook', textOf('paused')),
  resume: operation('resume_webhook', textOf('resumed')),
  rotate: operation('rotate_webhook_secret', ({ ctx, lang, format }, answer) => {
    const { secret, previous_valid_until: until } = answer as RotatedView;
    const { rotated, rotatedAlone } = WEBHOOKS[lang];
    const text = new Date(until) > ctx.now ? rotated(format.time(until)) : rotatedAlone;
    return { text, once: { secret } };
  }),
  test: operation(
    'test_webhook',
    ({ lang }, answer) => {
      const { tested, testHeld } = WEBHOOKS[lang];
      return { text: (answer as DeliveryView).status === 'held' ? testHeld : tested };
    },
    (page) => ({ type: field(page, 'type') }),
  ),
  resend_failing: operation('resend_failing_webhook_deliveries', async (page, answer) => {
    const { resentAll, resendsHeld } = WEBHOOKS[page.lang];
    const { status } = await transact(page.ctx, (tx) => getEndpoint(tx, idOf(page)));
    const count = page.format.number((answer as { resent: number }).resent);
    return { text: status === 'paused' ? resendsHeld(count) : resentAll(count) };
  }),
  delete: {
    permission: 'developers.manage',
    once: true,
    run: async (page) => {
      await call(page, 'delete_webhook', { id: idOf(page) });
      return { to: '/webhooks', flash: { text: WEBHOOKS[page.lang].removed } };
    },
  },
};

export const endpointPage: ConsolePage = {
  path: '/webhooks/:id',
  id: 'whk',
  permission: 'developers.read',
  actions,
  view: async (page) => {
    const texts = WEBHOOKS[page.lang];
    const endpoint = await ask<EndpointView>(page, 'get_webhook', { id: idOf(page) });
    const { mark, says, resumable } = standing(page, endpoint, await failingEndpoints(page.ctx));
    const background = await backgroundOfEndpoint(page.ctx, endpoint.id);
    const app = background?.app ?? null;
    const previous = background?.previousSignsUntil ?? null;
    const note = endpoint.status === 'paused' ? texts.pausedNote : says;
    return {
      title: endpoint.name,
      live: true,
      content: html`${crumbs(page, ['/webhooks', texts.nav])}
${bar(endpoint.name, mark)}
${note ? notice(note, 'warn') : null}${shownOnce(page)}
${knownFacts([
  [texts.address, html`<code>${endpoint.url}</code>`],
  [texts.events, codes(endpoint.events)],
  [texts.createdAt, page.format.time(endpoint.created_at)],
  [texts.throughApp, app],
])}
${page.may('developers.manage') ? steering(page, endpoint, { resumable, previous }) : null}
${await deliveriesSection(page, endpoint)}`,
    };
  },
};

interface Steered {
  readonly resumable: boolean;
  /** Until when the secret before the present one signs. */
  readonly previous: Date | null;
}

function steering(page: Page, endpoint: EndpointView, { resumable, previous }: Steered): Html {
  const texts = WEBHOOKS[page.lang];
  const may = { resume: resumable, pause: endpoint.status === 'active' };
  const changes = (['resume', 'pause'] as const).filter((change) => may[change]);
  const options = endpoint.events.map((value) => ({ value, label: value }));
  const ends = previous ? ` ${texts.endsPrevious(page.format.time(previous))}` : '';
  const example = selectField({ name: 'type', label: texts.testType, options });
  return html`<div class="actions">${linkButton(`${page.path}/edit`, texts.edit, true)}
${changes.map((change) => form(page, change, html`<button class="quiet">${texts[change]}</button>`))}
${askFirst(page, 'test', { label: texts.test, fields: example })}
${askFirst(page, 'resend_failing', { label: texts.resendAll, lead: texts.resendAllLead })}
${askFirst(page, 'rotate', { label: texts.rotate, lead: texts.rotateLead + ends })}
${askFirst(page, 'delete', { label: texts.remove, lead: texts.removeLead, danger: true })}</div>`;
}

/** The secret, shown only right after it was made, with code that verifies with it. */
function shownOnce({ flash, lang }: Page): Html | null {
  const secret = flash?.once?.['secret'];
  if (!secret) return null;
  const texts = WEBHOOKS[lang];
  return html`<section class="card"><p><strong>${texts.secretOnce}</strong></p>${code(secret, texts.secretLabel)}<p>${texts.verify} <a href="/docs/receiving-webhooks">${texts.guide}</a></p><div class="actions">${verifiers().map(
    ({ language, text }) => disclosure(language, code(text, language)),
  )}</div></section>`;
}
