import type { listMessages, SentTemplate } from '../../conversations/service.ts';
import type { FileState } from '../../media/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { lossText } from './losses.ts';
import { INBOX } from './texts.ts';

type Message = Awaited<ReturnType<typeof listMessages>>['data'][number];

interface Known {
  /** With whom the conversation is. */
  readonly partner: string;
  readonly template: SentTemplate | undefined;
  /** The name of the campaign that sent it, for those who see that. */
  readonly campaign: string | undefined;
  /** Whether its file is here. */
  readonly file: FileState | undefined;
}

/** One message of a conversation: who wrote it and when, what it is, and what became of it. */
export function messageItem(page: Page, one: Message, known: Known): Html {
  const { lang, format } = page;
  const texts = INBOX[lang];
  const isTheirs = one.direction === 'inbound';
  // In a group it is the writer's name.
  const who = one.author?.name ?? (isTheirs ? known.partner : texts.us);
  const written = known.template?.words || one.text;
  const state =
    one.status === 'failed' ? badge(texts.states.failed, 'bad') : texts.states[one.status];
  return html`<li class="${isTheirs ? 'theirs' : 'ours'}"><p class="soft"><strong>${who}</strong> ${format.time(one.created_at)}${byCampaign(page, one, known)}</p>
${kindOf(page, one, known)}${written === '' ? null : html`<p class="written">${written}</p>`}${
  isTheirs ? null : html`<p class="soft">${state}</p>`
}${one.error ? html`<p class="problem">${lossText(lang, one.error)}</p>` : null}</li>`;
}

const byCampaign = (
  { lang, base }: Page,
  { campaign_id: id }: Message,
  { campaign }: Known,
): Html | null =>
  campaign === undefined
    ? null
    : html` ${INBOX[lang].campaign} <a href="${base}/campaigns/${id}">${campaign}</a>`;

/** What it is, if it is more than its text, with a link to its file, or why there is none. */
function kindOf({ lang, base }: Page, one: Message, { template, file }: Known): Html | null {
  const { type, text, media_id: id, media_name: fileName } = one;
  if (type === 'text') return null;
  const { kinds, unreacted, named, away } = INBOX[lang];
  const kind = type === 'reaction' && text === '' ? unreacted : (kinds[type] ?? type);
  const name = template?.name ?? fileName;
  const whole = name === '' ? kind : named(kind, name);
  if (file === 'kept') return html`<p><a href="${base}/media/${id}">${whole}</a></p>`;
  return html`<p>${whole}${file ? html` <span class="soft">${away[file]}</span>` : null}</p>`;
}
