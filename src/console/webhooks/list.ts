import { html } from '../../pages/html.ts';
import { codes, table } from '../../pages/parts.ts';
import { failingEndpoints, pageOfEndpoints } from '../../webhooks/service.ts';
import { planOf } from '../../workspaces/plans.ts';
import { bar, toNew } from '../frame/heading.ts';
import type { ConsolePage, Page } from '../page.ts';
import { planName } from '../texts/texts.ts';
import { standing } from './endpoint-status.ts';
import { WEBHOOKS } from './texts.ts';

/** More than any plan allows. */
const ALL = { limit: 100, after: null } as const;

export const endpointsPage: ConsolePage = {
  path: '/webhooks',
  permission: 'developers.read',
  nav: { group: 'developers', name: (lang) => WEBHOOKS[lang].nav },
  view: async (page) => {
    const texts = WEBHOOKS[page.lang];
    const { data } = await pageOfEndpoints(page.ctx, ALL);
    const failing = await failingEndpoints(page.ctx);
    return {
      title: texts.nav,
      content: html`${bar(texts.nav, toNew(page, 'developers.manage', texts.add))}
<p class="soft">${texts.lead} <a href="/docs/receiving-webhooks">${texts.guide}</a></p>
<p>${await quotaLine(page, data.length)}</p>
${table({
  caption: texts.nav,
  columns: texts.columns,
  none: texts.none,
  rows: data.map((endpoint) => [
    html`<a href="${page.base}/webhooks/${endpoint.id}">${endpoint.name}</a>`,
    html`<code>${endpoint.url}</code>`,
    codes(endpoint.events),
    standing(page, endpoint, failing).mark,
  ]),
})}`,
    };
  },
};

async function quotaLine({ ctx, lang, format }: Page, used: number): Promise<string> {
  const { name, webhookEndpoints } = await planOf(ctx);
  return WEBHOOKS[lang].quota(format.number(used), format.number(webhookEndpoints), planName(name));
}
