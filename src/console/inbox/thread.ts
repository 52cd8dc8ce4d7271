import {
  closeConversation,
  getConversation,
  listMessages,
  markRead,
  reopenConversation,
} from '../../conversations/service.ts';
import { MAX_FILE_BYTES } from '../../media/kinds.ts';
import { flag, hidden } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge, emptyState, type Fact, knownFacts, linkButton, notice } from '../../pages/parts.ts';
import { bar, crumbs } from '../frame/heading.ts';
import { answersIn, asksAgain } from '../frame/live.ts';
import { type Action, type ConsolePage, type Done, field, idOf, type Page } from '../page.ts';
import { form } from '../parts/form.ts';
import { filteredBy, pageAfter } from '../parts/listing.ts';
import { dealsFact } from '../pipelines/of-contact.ts';
import { atNewest, NEWEST } from './address.ts';
import { history, notes, pastOf } from './history.ts';
import { messageItems } from './message.ts';
import { numberNames } from './numbers.ts';
import { partnersOf, type Staff, staffOf } from './participants.ts';
import {
  hasReplyForm,
  REPLY_FORM,
  reply,
  replying,
  requireNothingWritten,
  whyNoReply,
} from './reply.ts';
import { INBOX } from './texts.ts';
import { shownHolder, transfer, transferring } from './transferring.ts';

type Conversation = Awaited<ReturnType<typeof getConversation>>;

const here = (page: Page, text: string): Done => ({ to: atNewest(idOf(page)), flash: { text } });

const read: Action = {
  permission: 'conversations.reply',
  run: async (page) => {
    await markRead(page.ctx, idOf(page), field(page, 'through'));
    const text = INBOX[page.lang].read;
    return page.seen === null ? here(page, text) : { answer: html`<p class="soft">${text}</p>` };
  },
};

const close: Action = {
  permission: 'conversations.close',
  once: true,
  run: async (page) => {
    requireNothingWritten(page);
    await closeConversation(page.ctx, idOf(page));
    return { to: `/inbox/${idOf(page)}`, flash: { text: INBOX[page.lang].closed } };
  },
};

const reopen: Action = {
  permission: 'conversations.assign',
  once: true,
  run: async (page) => {
    await reopenConversation(page.ctx, idOf(page));
    return here(page, INBOX[page.lang].reopened);
  },
};

/** One conversation: its messages, the status of each, and what can be done. */
export const threadPage: ConsolePage = {
  path: '/inbox/:id',
  id: 'cnv',
  permission: 'conversations.read',
  upload: { maxBytes: MAX_FILE_BYTES, permission: 'conversations.reply' },
  view: async (page) => {
    const texts = INBOX[page.lang];
    const conversation = await getConversation(page.ctx, idOf(page));
    const partner = (await partnersOf(page, [conversation]))(conversation);
    const staff = await staffOf(page);
    const past = await pastOf(page);
    const isOpen = conversation.status === 'open';
    const isNewest = !page.query.has('after');
    const passing = isOpen ? transferring(page, conversation, staff.teams) : null;
    const state = keptState(page, conversation);
    const again = isNewest ? asksAgain(page, { ...PART, seconds: 5, state }) : null;
    return {
      title: partner,
      live: isNewest,
      state,
      content: html`${crumbs(page, ['/inbox', texts.nav])}
<div id="${PART.id}"${again}>
${bar(partner, badge(texts.statuses[conversation.status], isOpen ? 'good' : 'plain'))}
${knownFacts([...(await factsOf(page, conversation, { partner, staff })), ...notes(page, past)])}
${passing && shownHolder(page, conversation)}${await messages(page, conversation, { partner, isNewest, state })}
</div>
${isOpen || field(page, 'text') !== '' ? await replying(page, conversation, partner) : null}
<div class="actions">${passing}${
        isOpen ? closing(page, conversation) : button(page, 'reopen', 'conversations.assign')
      }${history(page, past, staff)}</div>`,
    };
  },
  actions: { reply, read, transfer, close, reopen },
};

interface Known {
  readonly partner: string;
  readonly staff: Staff;
}

/** Where the contact is found, who is in charge, by which number it runs, and which deals are open. */
async function factsOf(
  page: Page,
  one: Conversation,
  { partner, staff: { nameOf } }: Known,
): Promise<Fact[]> {
  const texts = INBOX[page.lang];
  const inCharge = nameOf(one.assigned_member_id) ?? nameOf(one.assigned_team_id);
  const contact = page.may('contacts.read') && one.contact_id;
  return [
    [
      texts.contact,
      contact ? html`<a href="${page.base}/contacts/${contact}">${partner}</a>` : null,
    ],
    [texts.assignee, inCharge ?? texts.nobody],
    [texts.number, (await numberNames(page)).get(one.number_id)],
    await dealsFact(page, one.contact_id),
  ];
}

/** `open` while a reply can be written here. */
const stateOf = ({ may }: Page, { status, can_reply }: Conversation): string =>
  status === 'open' && !(can_reply && may('conversations.reply')) ? 'silent' : status;

/** A page on which somebody may be writing is not loaded anew; that would take the words away. */
const keptState = (page: Page, one: Conversation): string =>
  page.seen === 'open' ? page.seen : stateOf(page, one);

/** What refreshes itself, if it has the newest messages: who has the conversation too, and nothing in which somebody writes. */
const PART = { id: 'conversation' };

interface Part {
  readonly partner: string;
  readonly isNewest: boolean;
  readonly state: string;
}

async function messages(page: Page, one: Conversation, part: Part): Promise<Html> {
  const { partner, isNewest, state } = part;
  const texts = INBOX[page.lang];
  const { data, next } = await listMessages(page.ctx, idOf(page), pageAfter(page, 'msg'));
  const at = (after: string): string => `${filteredBy(page, 'after', after)}#${NEWEST}`;
  const older = next && linkButton(at(next.id), texts.older, true);
  const newest = isNewest ? null : linkButton(at(''), texts.newest, true);
  return html`<section><h2>${texts.messages}</h2>
${older || newest ? html`<p>${older} ${newest}</p>` : null}${
  data.length === 0
    ? emptyState(texts.noMessages)
    : html`<div role="log" aria-relevant="additions" aria-label="${texts.messages}"><ol class="thread">${await messageItems(page, partner, data.toReversed())}</ol></div>`
}${behindNewest(page, isNewest ? unread(page, one, { state, through: data[0]?.id ?? '' }) : null)}${state === stateOf(page, one) ? null : changed(page, one)}</section>`;
}

interface Shown {
  readonly state: string;
  /** The newest message, "" without one. */
  readonly through: string;
}

/** The place behind the newest message. It takes the focus after its button, with which that would be lost. */
const behindNewest = (page: Page, content: Html | null): Html =>
  html`<div class="newest" id="${NEWEST}" tabindex="-1"${flag('autofocus', page.answer !== null)}>${page.answer}${content}</div>`;

/** How many are unread, and what ends that without an answer: for those that are shown. */
function unread(page: Page, { unread: count }: Conversation, shown: Shown): Html | null {
  if (count === 0 || !page.may('conversations.reply')) return null;
  const texts = INBOX[page.lang];
  const says = badge(texts.unread(page.format.number(count)), 'warn');
  const button = html`${says} ${hidden('through', shown.through)}<button class="quiet">${texts.markRead}</button>`;
  const within = answersIn(page, { ...PART, state: shown.state });
  return html`<div class="actions">${form(page, 'read', button, within)}</div>`;
}

function changed(page: Page, one: Conversation): Html {
  const { lang, path } = page;
  const texts = INBOX[lang];
  const why = one.status === 'closed' ? texts.closedMeanwhile : whyNoReply(page, one);
  return notice(html`${why} <a href="${path}">${texts.reload}</a>`, 'warn');
}

/** Sent with what stands in the reply, which is thus not thrown away; of a file the name is enough. */
function closing(page: Page, one: Conversation): Html | null {
  if (!hasReplyForm(page, one)) return button(page, 'close', 'conversations.close');
  if (!page.may('conversations.close')) return null;
  return html`<button class="quiet" form="${REPLY_FORM}" name="action" value="close" formenctype="application/x-www-form-urlencoded" formnovalidate>${INBOX[page.lang].close}</button>`;
}

function button(
  page: Page,
  action: 'close' | 'reopen',
  permission: 'conversations.close' | 'conversations.assign',
): Html | null {
  if (!page.may(permission)) return null;
  return form(page, action, html`<button class="quiet">${INBOX[page.lang][action]}</button>`);
}
