import { listConversations } from '../../conversations/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import { asksAgain } from '../frame/live.ts';
import type { ConsolePage, Page } from '../page.ts';
import { allOrOne, labelledChips, listed, oneOf, pageAfter } from '../parts/listing.ts';
import { partnersOf, staffOf } from './people.ts';
import { INBOX } from './texts.ts';

const STATUSES = ['open', 'closed'] as const;

type Conversation = Awaited<ReturnType<typeof listConversations>>['data'][number];

/** The conversations that the person sees, the latest first. */
export const inboxPage: ConsolePage = {
  path: '/inbox',
  permission: 'conversations.read',
  nav: { group: 'work', name: (lang) => INBOX[lang].nav },
  view: async (page) => {
    const texts = INBOX[page.lang];
    const filters = {
      status: oneOf(page, 'status', STATUSES),
      member_id: oneOf(page, 'member', ['me', 'none'] as const),
      sort: 'last_message_at' as const,
    };
    const { data, next } = await listConversations(page.ctx, filters, pageAfter(page, 'cnv'));
    const rows = await rowsOf(page, data);
    const people = [
      ['me', texts.mine],
      ['none', texts.nobodys],
    ] as const;
    return {
      title: texts.nav,
      live: true,
      content: html`<h1>${texts.nav}</h1>
${labelledChips(page, 'status', allOrOne(texts.all, STATUSES, texts.statuses), texts.status)}
${labelledChips(page, 'member', [['', texts.all], ...people], texts.assignee)}
<section id="conversations"${asksAgain(page, { id: 'conversations', seconds: 10 })}>${listed(page, texts, rows, next)}</section>`,
    };
  },
};

async function rowsOf(page: Page, data: readonly Conversation[]): Promise<(Html | string)[][]> {
  const texts = INBOX[page.lang];
  const partnerOf = await partnersOf(page, data);
  const { nameOf } = await staffOf(page);
  return data.map((one) => [
    html`<a href="${page.base}/inbox/${one.id}">${partnerOf(one)}</a> ${
      one.unread > 0 ? badge(texts.unread(page.format.number(one.unread)), 'warn') : null
    }`,
    badge(texts.statuses[one.status], one.status === 'open' ? 'good' : 'plain'),
    nameOf(one.assigned_member_id) ?? nameOf(one.assigned_team_id) ?? texts.nobody,
    one.last_message_at ? page.format.time(one.last_message_at) : '',
  ]);
}
