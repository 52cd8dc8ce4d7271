import { SCOPE_NAMES, type Scope } from '../../access/scopes.ts';
import { LIFETIMES } from '../../api-keys/rules.ts';
import {
  type ApiKeyRecord,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../api-keys/service.ts';
import type { Context } from '../../context.ts';
import { hidden, selectField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, code, disclosure, named, table } from '../../pages/parts.ts';
import { bar, crumbs, toNew } from '../frame/heading.ts';
import { allOf, type ConsolePage, type Done, field, type Page } from '../page.ts';
import { askFirst, asSent, form } from '../parts/form.ts';
import { scopeChoice } from './scopes.ts';
import { KEYS, PRESETS, type Preset } from './texts.ts';

const PRESET_SCOPES: Readonly<Record<Preset, readonly Scope[]>> = {
  read: SCOPE_NAMES.filter((name) => name.endsWith(':read')),
  messages: [
    'messages:read',
    'messages:write',
    'conversations:read',
    'contacts:read',
    'contacts:write',
    'numbers:read',
  ],
  webhooks: ['webhooks:read', 'webhooks:write'],
};

const keysPage: ConsolePage = {
  path: '/api-keys',
  permission: 'developers.read',
  nav: { group: 'developers', name: (lang) => KEYS[lang].nav },
  view: async (page) => {
    const texts = KEYS[page.lang];
    const keys = await listApiKeys(page.ctx);
    const manages = page.may('developers.manage');
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'developers.manage', texts.create))}
<p class="soft">${texts.lead}</p>
${shownOnce(page)}
${table({
  caption: texts.nav,
  columns: texts.columns,
  none: texts.none,
  rows: keys.map((key) => rowOf(page, key, manages)),
})}`,
    };
  },
  actions: {
    revoke: {
      permission: 'developers.manage',
      once: true,
      run: async (page: Page<Context>): Promise<Done> => {
        await revokeApiKey(page.ctx, field(page, 'id'));
        return { to: '/api-keys', flash: { text: KEYS[page.lang].revoked } };
      },
    },
  },
};

function rowOf(page: Page, key: ApiKeyRecord, manages: boolean): (Html | string | null)[] {
  const texts = KEYS[page.lang];
  const { expires_at: end, last_used_at: used, last_used_ip: ip } = key;
  return [
    key.name,
    html`<code>${key.prefix}…</code>`,
    disclosure(
      page.format.number(key.scopes.length),
      html`<ul>${key.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`,
    ),
    html`${badge(texts.status[key.status], key.status === 'active' ? 'good' : 'bad')} ${
      key.expiring_soon ? badge(texts.expiring, 'warn') : null
    }<br><span class="soft">${end ? page.format.day(end) : texts.never}</span>`,
    used
      ? html`${page.format.time(used)}${ip ? html`<br><span class="soft">${texts.from} ${ip}</span>` : null}`
      : texts.unused,
    manages && key.status !== 'revoked' ? revocation(page, key) : null,
  ];
}

function revocation(page: Page, { id, name, last_used_at: used }: ApiKeyRecord): Html {
  const texts = KEYS[page.lang];
  const lastUse = used ? texts.lastUsed(page.format.time(used)) : texts.neverUsed;
  return askFirst(page, 'revoke', {
    label: named(texts.revoke, name),
    lead: [texts.revokeLead(name), lastUse, texts.goesOn],
    fields: hidden('id', id),
    danger: true,
  });
}

/** The key itself, shown only right after it was created. */
function shownOnce({ flash, lang, parts }: Page): Html | null {
  const key = flash?.once?.['key'];
  if (!key) return null;
  const texts = KEYS[lang];
  const command = `curl ${parts.baseUrl}/api/v1/numbers \\\n  -H "Authorization: Bearer ${key}"`;
  return html`<section class="card"><p><strong>${texts.once}</strong></p>${code(key, texts.keyLabel)}<p>${texts.tryIt}</p>${code(command, texts.commandLabel)}</section>`;
}

const newKeyPage: ConsolePage = {
  path: '/api-keys/new',
  permission: 'developers.manage',
  view: async (page) => {
    const texts = KEYS[page.lang];
    return {
      title: texts.create,
      content: html`${crumbs(page, ['/api-keys', texts.nav])}
<h1>${texts.create}</h1>
<p>${texts.start} ${PRESETS.map(
        (preset, i) =>
          html`${i > 0 ? ', ' : ''}<a href="${page.path}?preset=${preset}">${texts.presets[preset]}</a>`,
      )}</p>
${form(page, 'create', html`${fields(page)}<button>${texts.create}</button>`)}`,
    };
  },
  actions: {
    create: {
      permission: 'developers.manage',
      once: true,
      run: async (page: Page<Context>): Promise<Done> => {
        const name = field(page, 'name');
        const { key } = await createApiKey(page.ctx, {
          name,
          scopes: allOf(page, 'scopes'),
          lifetime: field(page, 'lifetime'),
        });
        const text = KEYS[page.lang].created(name.trim());
        return { to: '/api-keys', flash: { text, once: { key } } };
      },
    },
  },
};

function fields(page: Page): Html {
  const texts = KEYS[page.lang];
  const preset = PRESETS.find((known) => known === page.query.get('preset'));
  const chosen = page.sent.size > 0 ? allOf(page, 'scopes') : preset ? PRESET_SCOPES[preset] : [];
  return html`${textField({
    ...asSent(page, 'name'),
    label: texts.name,
    hint: texts.nameHint,
    maxLength: 60,
    required: true,
  })}${selectField({
    name: 'lifetime',
    label: texts.lifetime,
    value: field(page, 'lifetime') || '90d',
    error: page.problems.get('lifetime'),
    options: LIFETIMES.map((value) => ({ value, label: texts.lifetimes[value] })),
  })}${scopeChoice(page, texts.scopes, chosen)}`;
}

export const keyPages: readonly ConsolePage[] = [keysPage, newKeyPage];
