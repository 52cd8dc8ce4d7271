import type { listMessages } from '../../conversations/service.ts';
import { type Html, html } from '../../pages/html.ts';
import { badge } from '../../pages/parts.ts';
import type { Page } from '../page.ts';
import { lossText } from './losses.ts';
import { INBOX } from './texts.ts';

type Message = Awaited<ReturnType<typeof listMessages>>['data'][number];

interface Known {
  /** With whom the conversation is. */
  readonly partner: string;
  /** The name of the template that it is. */
  readonly template: string | undefined;
}

/** One message of a conversation: who wrote it and when, what it is, and what became of it. */
export function messageItem(page: Page, one: Message, { partner, template }: Known): Html {
  const { lang, format } = page;
  const texts = INBOX[lang];
  const isTheirs = one.direction === 'inbound';
  // In a group it is the writer's name.
  const who = one.author?.name ?? (isTheirs ? partner : texts.us);
  const state =
    one.status === 'failed' ? badge(texts.states.failed, 'bad') : texts.states[one.status];
  return html`<li class="${isTheirs ? 'theirs' : 'ours'}"><p class="soft"><strong>${who}</strong> ${format.time(one.created_at)}</p>
${kindOf(page, one, template)}${one.text === '' ? null : html`<p class="written">${one.text}</p>`}${
  isTheirs ? null : html`<p class="soft">${state}</p>`
}${
  one.error
    ? html`<p class="problem">${lossText(lang, one.error.reason, one.error.message)}</p>`
    : null
}</li>`;
}

/** What it is, if it is more than its text, with a link to its file. */
function kindOf({ lang, base }: Page, one: Message, template: string | undefined): Html | null {
  const { type, text, media_id: file, media_name: fileName } = one;
  if (type === 'text') return null;
  const { kinds, unreacted, named } = INBOX[lang];
  const kind = type === 'reaction' && text === '' ? unreacted : (kinds[type] ?? type);
  const name = template ?? fileName;
  const whole = name === '' ? kind : named(kind, name);
  return html`<p>${file ? html`<a href="${base}/media/${file}">${whole}</a>` : whole}</p>`;
}
