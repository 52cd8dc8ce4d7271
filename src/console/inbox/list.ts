import { listConversations } from '../../conversations/service.ts';
import { setPresence } from '../../members/presence.ts';
import { hidden } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, disclosure } from '../../pages/parts.ts';
import { bar } from '../frame/heading.ts';
import { asksAgain } from '../frame/live.ts';
import { type Action, type ConsolePage, field, type Page } from '../page.ts';
import { form } from '../parts/form.ts';
import { allOrOne, labelledChips, listed, oneOf, pageAfter } from '../parts/listing.ts';
import { atNewest } from './address.ts';
import { numberNames } from './numbers.ts';
import { partnersOf, type Staff, staffOf } from './participants.ts';
import { INBOX } from './texts.ts';

const STATUSES = ['open', 'closed'] as const;

type Conversation = Awaited<ReturnType<typeof listConversations>>['data'][number];

/** The conversations that the person sees, the latest first. */
export const inboxPage: ConsolePage = {
  path: '/inbox',
  permission: 'conversations.read',
  nav: { group: 'work', name: (lang) => INBOX[lang].nav },
  actions: { 'be-here': switching(true), 'be-away': switching(false) },
  view: async (page) => {
    const texts = INBOX[page.lang];
    const staff = await staffOf(page);
    const numbers = await numberNames(page);
    const filters = {
      status: oneOf(page, 'status', STATUSES),
      unread: oneOf(page, 'unread', ['true'] as const),
      member_id: oneOf(page, 'member', ['me', 'none', ...staff.members.map(({ id }) => id)]),
      team_id: oneOf(page, 'team', ['none', ...staff.teams.map(({ id }) => id)]),
      number_id: oneOf(page, 'number', [...numbers.keys()]),
      sort: 'last_message_at' as const,
    };
    const { data, next } = await listConversations(page.ctx, filters, pageAfter(page, 'cnv'));
    const rows = await rowsOf(page, data, { staff, numbers });
    const [partner, ...others] = texts.columns;
    const columns = numbers.size === 0 ? texts.columns : [partner, texts.number, ...others];
    const state = stateOf(page);
    return {
      title: texts.nav,
      live: true,
      state,
      content: html`${bar(texts.nav, presence(page))}
${filtering(page, { staff, numbers })}
<section id="conversations"${asksAgain(page, { id: 'conversations', seconds: 10, state })}>${listed(page, { ...texts, columns }, rows, next)}</section>`,
    };
  },
};

/** Another tab, or an operator, may have changed it. */
const stateOf = ({ presence: is }: Page): string => (is?.isAway ? 'away' : 'here');

const FILTERS = 'filters';

/** Whether the person is given conversations, and what changes that. */
function presence(page: Page): Html | null {
  if (!page.presence) return null;
  const { here, away, beHere, beAway } = INBOX[page.lang].presence;
  const [says, action, label] = page.presence.isAway
    ? ([badge(away, 'warn'), 'be-here', beHere] as const)
    : ([badge(here, 'good'), 'be-away', beAway] as const);
  return html`${says}${form(page, action, html`${hidden(FILTERS, String(page.query))}<button class="quiet">${label}</button>`)}`;
}

/** Leads back to the list as it was filtered. */
function switching(online: boolean): Action {
  return {
    permission: 'conversations.reply',
    run: async (page) => {
      await setPresence(page.ctx, page.ctx.actor.id, { online });
      const { gone, back } = INBOX[page.lang].presence;
      const filters = new URLSearchParams(field(page, FILTERS));
      const to = filters.size === 0 ? '/inbox' : `/inbox?${filters}`;
      return { to, flash: { text: online ? back : gone } };
    },
  };
}

interface Around {
  readonly staff: Staff;
  readonly numbers: ReadonlyMap<string, string>;
}

function filtering(page: Page, { staff: { members, teams }, numbers }: Around): Html {
  const texts = INBOX[page.lang];
  const one = (name: string, label: string, values: readonly (readonly [string, string])[]): Html =>
    labelledChips(page, name, [['', texts.all], ...values], label);
  const people = [
    ['me', texts.mine],
    ['none', texts.nobodys],
  ] as const;
  const named = (all: Staff['members']) => all.map(({ id, name }) => [id, name] as const);
  const others = members.filter(({ id }) => id !== page.ctx.actor.id);
  const rows = [
    ...(others.length === 0 ? [] : [one('member', texts.person, named(others))]),
    ...(teams.length === 0
      ? []
      : [one('team', texts.team, [['none', texts.noTeam], ...named(teams)])]),
    ...(numbers.size === 0 ? [] : [one('number', texts.number, [...numbers])]),
  ];
  const isPerson = others.some(({ id }) => id === page.query.get('member'));
  const isNarrowed = isPerson || page.query.has('team') || page.query.has('number');
  return html`${labelledChips(page, 'status', allOrOne(texts.all, STATUSES, texts.statuses), texts.status)}
${one('unread', texts.messages, [['true', texts.notRead]])}
${one('member', texts.assignee, people)}
${rows.length === 0 ? null : disclosure(texts.more, html`${rows}`, { open: isNarrowed })}`;
}

async function rowsOf(
  page: Page,
  data: readonly Conversation[],
  { staff: { nameOf }, numbers }: Around,
): Promise<(Html | string)[][]> {
  const texts = INBOX[page.lang];
  const partnerOf = await partnersOf(page, data);
  return data.map((one) => [
    // By its id a row that moves is the same one, and keeps the focus.
    html`<a id="${one.id}" href="${page.base}${atNewest(one.id)}">${partnerOf(one)}</a> ${
      one.unread > 0 ? badge(texts.unread(page.format.number(one.unread)), 'warn') : null
    }`,
    ...(numbers.size === 0 ? [] : [numbers.get(one.number_id) ?? '']),
    badge(texts.statuses[one.status], one.status === 'open' ? 'good' : 'plain'),
    nameOf(one.assigned_member_id) ?? nameOf(one.assigned_team_id) ?? texts.nobody,
    one.last_message_at ? page.format.time(one.last_message_at) : '',
  ]);
}
