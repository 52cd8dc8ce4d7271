import type { Context } from '../../context.ts';
import { AppError, type FieldProblem, validation } from '../../errors.ts';
import { checkEndpointUrl } from '../../net/url.ts';
import { WEBHOOK_EVENT_TYPES } from '../../outbox/events.ts';
import { sampleData } from '../../outbox/samples.ts';
import { checkboxes, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { code, disclosure } from '../../pages/parts.ts';
import { lockEndpoint } from '../../webhooks/changing.ts';
import { getEndpoint } from '../../webhooks/service.ts';
import { ask, call } from '../calling.ts';
import { crumbs } from '../frame/heading.ts';
import { allOf, type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { asSeen, seenField } from '../parts/as-seen.ts';
import { form } from '../parts/form.ts';
import { problemText } from '../texts/refusals.ts';
import { WEBHOOKS } from './texts.ts';
import type { EndpointView } from './views.ts';

type Endpoint = Pick<EndpointView, 'name' | 'url' | 'events'>;

const bodyOf = (page: Page) => ({
  name: field(page, 'name'),
  url: field(page, 'url'),
  events: allOf(page, 'events'),
});

interface Made {
  readonly id: string;
  readonly secret: string;
}

/** What is wrong with an address, by the rules that will decide. */
function addressFaults({ parts }: Page, url: string): FieldProblem[] {
  const checked = checkEndpointUrl(url, parts.trustedOrigins);
  return checked.ok ? [] : [{ path: 'url', rule: checked.rule, message: checked.message }];
}

/** The service looks at the address once all else is in order; a person hears of everything at once. */
const withAllFaults =
  (page: Page<Context>) =>
  (error: unknown): never => {
    if (!(error instanceof AppError) || !Array.isArray(error.details)) throw error;
    const { url, events } = bodyOf(page);
    const none = events.length === 0;
    const details: FieldProblem[] = error.details;
    const faults = details.filter(({ path }) => !(none && path === 'events'));
    if (!faults.some(({ path }) => path === 'url')) faults.push(...addressFaults(page, url));
    const message = WEBHOOKS[page.lang].noEvents;
    if (none) faults.push({ path: 'events', rule: 'no_events', message });
    throw validation(faults);
  };

export const newEndpointPage: ConsolePage = {
  path: '/webhooks/new',
  permission: 'developers.manage',
  view: async (page) => {
    const texts = WEBHOOKS[page.lang];
    const wished = { name: '', url: page.query.get('url') ?? '', events: [] };
    return {
      title: texts.add,
      live: true,
      content: html`${crumbs(page, ['/webhooks', texts.nav])}
<h1>${texts.add}</h1>
${form(page, 'create', html`${fields(page, wished)}<button>${texts.add}</button>`)}`,
    };
  },
  actions: {
    create: {
      permission: 'developers.manage',
      once: true,
      run: async (page: Page<Context>): Promise<Done> => {
        const body = bodyOf(page);
        const made = await call<Made>(page, 'create_webhook', { body }).catch(withAllFaults(page));
        const text = WEBHOOKS[page.lang].created;
        return { to: `/webhooks/${made.id}`, flash: { text, once: { secret: made.secret } } };
      },
    },
  },
};

const valuesOf = ({ name, url, events }: Endpoint): Endpoint => ({ name, url, events });

const lockedValues =
  (id: string) =>
  async (ctx: Context): Promise<Endpoint> => {
    await lockEndpoint(ctx, id, 'update');
    return valuesOf(await getEndpoint(ctx, id));
  };

export const editEndpointPage: ConsolePage = {
  path: '/webhooks/:id/edit',
  id: 'whk',
  permission: 'developers.manage',
  view: async (page) => {
    const texts = WEBHOOKS[page.lang];
    const id = idOf(page);
    const endpoint = await ask<EndpointView>(page, 'get_webhook', { id });
    return {
      title: `${texts.edit}: ${endpoint.name}`,
      live: true,
      content: html`${crumbs(page, ['/webhooks', texts.nav], [`/webhooks/${id}`, endpoint.name])}
<h1>${texts.edit}</h1>
${form(page, 'save', html`${seenField(page, valuesOf(endpoint))}${fields(page, endpoint)}<button>${texts.save}</button>`)}`,
    };
  },
  actions: {
    save: {
      permission: 'developers.manage',
      once: true,
      run: async (page: Page<Context>): Promise<Done> => {
        const id = idOf(page);
        const body = bodyOf(page);
        await asSeen(page, { stored: lockedValues(id), for: 'written' }, (seen) =>
          call(seen, 'update_webhook', { id, body }).catch(withAllFaults(page)),
        );
        return { to: `/webhooks/${id}`, flash: { text: WEBHOOKS[page.lang].saved } };
      },
    },
  },
};

/** After an error, the form keeps what was sent. */
function fields(page: Page, endpoint: Endpoint): Html {
  const texts = WEBHOOKS[page.lang];
  const again = page.sent.size > 0;
  const shown = again ? bodyOf(page) : endpoint;
  const url = page.query.get('url') ?? shown.url;
  return html`${textField({
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: shown.name,
    error: page.problems.get('name'),
    maxLength: 60,
    required: true,
  })}${textField({
    name: 'url',
    type: 'url',
    label: texts.url,
    hint: texts.urlHint,
    value: shown.url,
    error: page.problems.get('url'),
    maxLength: 2_048,
    required: true,
  })}<div id="url-check" aria-live="polite" hx-get="${page.path}" hx-trigger="input changed delay:500ms from:#f-url" hx-include="#f-url" hx-select="#url-check" hx-target="this" hx-swap="outerMorph">${again ? null : verdict(page, url)}</div>${checkboxes(
    {
      name: 'events',
      label: texts.events,
      error: page.problems.get('events'),
      chosen: shown.events,
      choices: WEBHOOK_EVENT_TYPES.map((type) => ({
        value: type,
        label: texts.happens[type],
        hint: html`<code>${type}</code>`,
      })),
    },
  )}${disclosure(
    texts.sample,
    html`${WEBHOOK_EVENT_TYPES.map(
      (type) =>
        html`<h3><code>${type}</code></h3>${code(JSON.stringify(sampleData[type], null, 2), type)}`,
    )}`,
  )}<p></p>`;
}

/** Checks the address while it is typed. */
function verdict(page: Page, url: string): Html | null {
  if (url === '') return null;
  const [fault] = addressFaults(page, url);
  if (!fault) return html`<p class="hint">✓ ${WEBHOOKS[page.lang].urlFine}</p>`;
  return html`<p class="problem">${problemText(page.lang, fault)}</p>`;
}
