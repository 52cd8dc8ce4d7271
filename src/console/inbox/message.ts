import { namesOfCampaigns } from '../../campaigns/naming.ts';
import { truncate } from '../../conversations/sending/lengths.ts';
import {
  answeredMessages,
  type listMessages,
  type SentTemplate,
  sentTemplates,
} from '../../conversations/service.ts';
import { type FileState, fileStates } from '../../media/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import { idOf, type Page } from '../page.ts';
import { lossText } from './losses.ts';
import { INBOX } from './texts.ts';

type Message = Awaited<ReturnType<typeof listMessages>>['data'][number];

interface Known {
  /** With whom the conversation is. */
  readonly partner: string;
  /** By the message's id. */
  readonly answered: ReadonlyMap<string, Message>;
  readonly templates: ReadonlyMap<string, SentTemplate>;
  /** The names of those that the reader sees. */
  readonly campaigns: ReadonlyMap<string, string>;
  /** Whether they are here. */
  readonly files: ReadonlyMap<string, FileState>;
}

/** The messages of the page's conversation: who wrote each and when, what it is, and what became of it. */
export async function messageItems(
  page: Page,
  partner: string,
  messages: readonly Message[],
): Promise<Html[]> {
  const { ctx } = page;
  const answered = await answeredMessages(ctx, idOf(page), messages);
  const templates = await sentTemplates(ctx, [...messages, ...answered]);
  const files = await fileStates(
    ctx,
    messages.flatMap((one) => one.media_id ?? []),
  );
  const campaigns = page.may('campaigns.read')
    ? await namesOfCampaigns(ctx, [...new Set(messages.flatMap((one) => one.campaign_id ?? []))])
    : new Map<string, string>();
  const byId = new Map(answered.map((one) => [one.id, one]));
  const known = { partner, answered: byId, templates, files, campaigns };
  return messages.map((one) => messageItem(page, one, known));
}

function messageItem(page: Page, one: Message, known: Known): Html {
  const { lang, format } = page;
  const texts = INBOX[lang];
  const isTheirs = one.direction === 'inbound';
  const state =
    one.status === 'failed' ? badge(texts.states.failed, 'bad') : texts.states[one.status];
  const words = wordsOf(one, known);
  return html`<li class="${isTheirs ? 'theirs' : 'ours'}"><p class="soft"><strong>${writerOf(page, one, known)}</strong> ${format.time(one.created_at)}${byCampaign(page, one, known)}${byReminder(page, one)}</p>
${quoted(page, one, known)}${kindOf(page, one, known)}${words === '' ? null : html`<p class="written">${words}</p>`}${
  isTheirs ? null : html`<p class="soft">${state}</p>`
}${one.error ? html`<p class="problem">${lossText(lang, one.error)}</p>` : null}</li>`;
}

/** In a group it is one of its people; what the service sent by itself is ours. */
function writerOf({ lang }: Page, { author, direction }: Message, { partner }: Known): string {
  if (author && author.type !== 'system') return author.name;
  return direction === 'inbound' ? partner : INBOX[lang].us;
}

const wordsOf = ({ id, text }: Message, { templates }: Known): string =>
  text || (templates.get(id)?.words ?? '');

function byCampaign(
  { lang, base }: Page,
  { campaign_id: id }: Message,
  { campaigns }: Known,
): Html | null {
  const name = campaigns.get(id ?? '');
  if (name === undefined) return null;
  return html` ${INBOX[lang].campaign} <a href="${base}/campaigns/${id}">${name}</a>`;
}

function byReminder({ lang, base, may }: Page, { reminder_id: id }: Message): Html | null {
  if (id === null) return null;
  const { reminder } = INBOX[lang];
  const link = html`<a href="${base}/reminders/${id}">${reminder}</a>`;
  return html` ${may('reminders.read') ? link : reminder}`;
}

/** As much as tells which one is meant. */
const QUOTED = 80;

/** The beginning of the message to which this one answers, reacts, or which it corrects. */
function quoted(page: Page, { reply_to_id: id }: Message, known: Known): Html | null {
  const one = known.answered.get(id ?? '');
  if (!one) return null;
  const words = wordsOf(one, known) || whatIs(page, one, known);
  const beginning = truncate(words, QUOTED);
  const more = beginning === words ? '' : '…';
  return html`<blockquote class="soft"><strong>${writerOf(page, one, known)}:</strong> ${beginning}${more}</blockquote>`;
}

/** Its kind, with the name of its file or template. */
function whatIs({ lang }: Page, one: Message, { templates }: Known): string {
  const { id, type, text, media_name: fileName } = one;
  const { kinds, withdrawn, named } = INBOX[lang];
  const kind = (text === '' && withdrawn[type]) || (kinds[type] ?? type);
  const name = templates.get(id)?.name ?? fileName;
  return name === '' ? kind : named(kind, name);
}

/** What it is, if it is more than its text, with a link to its file, or why there is none. */
function kindOf(page: Page, one: Message, known: Known): Html | null {
  if (one.type === 'text' || (one.type === 'unsupported' && one.text !== '')) return null;
  const what = whatIs(page, one, known);
  const file = known.files.get(one.media_id ?? '');
  if (file === 'kept') return html`<p><a href="${page.base}/media/${one.media_id}">${what}</a></p>`;
  const away = file ? html` <span class="soft">${INBOX[page.lang].away[file]}</span>` : null;
  return html`<p>${what}${away}</p>`;
}
