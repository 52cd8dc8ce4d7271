import {
  type ConnectionRecord,
  disconnect,
  listConnections,
} from '../../oauth/connections/service.ts';
import { hidden } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, disclosure, named, table } from '../../pages/parts.ts';
import { type ConsolePage, field, type Page } from '../page.ts';
import { askFirst } from '../parts/form.ts';
import { VERIFICATION_TONES } from './list.ts';
import { APPS, CONNECTIONS } from './texts.ts';

export const connectionsPage: ConsolePage = {
  path: '/connections',
  permission: 'developers.read',
  nav: { group: 'developers', name: (lang) => CONNECTIONS[lang].nav },
  view: async (page) => {
    const texts = CONNECTIONS[page.lang];
    const connections = await listConnections(page.ctx);
    return {
      title: texts.nav,
      content: html`<h1>${texts.nav}</h1><p class="soft">${texts.lead}</p>
${table({
  caption: texts.nav,
  columns: texts.columns,
  none: texts.none,
  rows: connections.map((one) => rowOf(page, one)),
})}`,
    };
  },
  actions: {
    disconnect: {
      permission: 'developers.manage',
      once: true,
      run: async (page) => {
        await disconnect(page.ctx, field(page, 'id'));
        return { to: '/connections', flash: { text: CONNECTIONS[page.lang].disconnected } };
      },
    },
  },
};

function rowOf(page: Page, one: ConnectionRecord): (Html | string | null)[] {
  const texts = CONNECTIONS[page.lang];
  const { verification, registered } = one.app;
  const state = badge(APPS[page.lang].states[verification], VERIFICATION_TONES[verification]);
  return [
    html`${one.app.name}<br>${state}${registered ? html` <span class="soft">${texts.registered}</span>` : null}`,
    one.member.name,
    disclosure(
      page.format.number(one.scopes.length),
      html`<ul>${one.scopes.map((scope) => html`<li><code>${scope}</code></li>`)}</ul>`,
    ),
    page.format.time(one.created_at),
    one.last_used_at ? page.format.time(one.last_used_at) : texts.never,
    page.may('developers.manage') ? ending(page, one) : null,
  ];
}

/** What is paused with an app's connections, if there is any. */
export const pausing = ({ lang }: Page, endpoints: readonly string[]): string[] =>
  endpoints.length === 0 ? [] : [CONNECTIONS[lang].pauses(endpoints.join(', '))];

function ending(page: Page, { id, app, member, endpoints }: ConnectionRecord): Html {
  const texts = CONNECTIONS[page.lang];
  const label = named(texts.disconnect, `${app.name}, ${member.name}`);
  const lead = [texts.disconnectLead(app.name, member.name), ...pausing(page, endpoints)];
  return askFirst(page, 'disconnect', { label, lead, fields: hidden('id', id), danger: true });
}
