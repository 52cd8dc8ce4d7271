import { createApp, listApps } from '../../oauth/apps/service.ts';
import type { Verification } from '../../oauth/rules.ts';
import { areaField, textField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, type Tone, table } from '../../pages/parts.ts';
import { bar, crumbs, toNew } from '../frame/heading.ts';
import { scopeChoice } from '../keys/scopes.ts';
import { allOf, type ConsolePage, field, type Page } from '../page.ts';
import { form } from '../parts/form.ts';
import { APPS } from './texts.ts';

export const VERIFICATION_TONES: Readonly<Record<Verification, Tone>> = {
  unverified: 'plain',
  in_review: 'warn',
  verified: 'good',
  rejected: 'bad',
};

export const appsPage: ConsolePage = {
  path: '/apps',
  permission: 'developers.read',
  nav: { group: 'developers', name: (lang) => APPS[lang].nav },
  view: async (page) => {
    const texts = APPS[page.lang];
    const apps = await listApps(page.ctx);
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'developers.manage', texts.add))}
<p class="soft">${texts.lead}</p>
${table({
  caption: texts.nav,
  columns: texts.columns,
  none: texts.none,
  rows: apps.map(({ id, name, verification, last_used_at: used }) => [
    html`<a href="${page.base}/apps/${id}">${name}</a>`,
    html`<code>${id}</code>`,
    badge(texts.states[verification], VERIFICATION_TONES[verification]),
    used ? page.format.time(used) : texts.never,
  ]),
})}`,
    };
  },
};

/** The input of a form about an app. */
export const appInput = (page: Page) => ({
  name: field(page, 'name'),
  redirectUris: field(page, 'redirect_uris').split('\n'),
  scopes: allOf(page, 'scopes'),
});

/** After an error, the form keeps what was sent. */
export function appFields(
  page: Page,
  app: { name: string; redirectUris: readonly string[]; scopes: readonly string[] },
): Html {
  const texts = APPS[page.lang];
  const shown = page.sent.has('redirect_uris') ? appInput(page) : app;
  return html`${textField({
    name: 'name',
    label: texts.name,
    hint: texts.nameHint,
    value: shown.name,
    error: page.problems.get('name'),
    maxLength: 80,
    required: true,
  })}${areaField({
    name: 'redirect_uris',
    label: texts.uris,
    hint: texts.urisHint,
    value: shown.redirectUris.join('\n'),
    error: page.problems.get('redirect_uris'),
    required: true,
  })}${scopeChoice(page, texts.scopes, shown.scopes)}`;
}

export const newAppPage: ConsolePage = {
  path: '/apps/new',
  permission: 'developers.manage',
  view: async (page) => {
    const texts = APPS[page.lang];
    const empty = { name: '', redirectUris: [], scopes: [] };
    return {
      title: texts.add,
      content: html`${crumbs(page, ['/apps', texts.nav])}
<h1>${texts.add}</h1>
${form(page, 'create', html`${appFields(page, empty)}<button>${texts.add}</button>`)}`,
    };
  },
  actions: {
    create: {
      permission: 'developers.manage',
      once: true,
      run: async (page) => {
        const { id, secret } = await createApp(page.ctx, appInput(page));
        return {
          to: `/apps/${id}`,
          flash: { text: APPS[page.lang].created, once: { secret } },
        };
      },
    },
  },
};
