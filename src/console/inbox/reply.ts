import type { getConversation, listMessages } from '../../conversations/service.ts';
import { validation } from '../../errors.ts';
import { TAKEN_TYPES } from '../../media/kinds.ts';
import { areaField, fieldId, fileField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { call } from '../calling.ts';
import { type Action, field, idOf, type Page, wasRefused } from '../page.ts';
import { clientRef, requireFirst } from '../parts/client-ref.ts';
import { asSent, uploadForm } from '../parts/form.ts';
import { linkToTemplates } from '../templates/choosing.ts';
import { INBOX } from './texts.ts';

type Conversation = Awaited<ReturnType<typeof getConversation>>;
type Message = Awaited<ReturnType<typeof listMessages>>['data'][number];

/** Sends what is written, or a file with that as its caption. Of a form that is refused no file is kept. */
export const reply: Action = {
  permission: 'conversations.reply',
  once: true,
  run: async (page) => {
    const { file, lang } = page;
    const texts = INBOX[lang];
    const text = field(page, 'text');
    const problem = { path: 'text', rule: 'nothing_written', message: texts.nothingWritten };
    if (text === '' && !file) throw validation([problem]);
    const media = file && (await call<Pick<Message, 'id'>>(page, 'upload_media', { file })).id;
    const sent = await call<Pick<Message, 'text' | 'media_id'>>(page, 'send_to_conversation', {
      id: idOf(page),
      body: {
        ...(text && { text }),
        ...(media && { media_id: media }),
        client_ref: field(page, 'client_ref'),
      },
    });
    requireFirst(page, sent.text === text && sent.media_id === media);
    // Whoever answers often has more to say.
    return { to: `/inbox/${idOf(page)}#${fieldId('text')}`, flash: { text: texts.replied } };
  },
  problemsAt: {
    contact_id: 'text',
    payload_too_large: 'file',
    quota: 'file',
    unsupported_media_type: 'file',
  },
};

/** Refuses what would end the form while something stands in it; of a file there is only the name. Throws 422 `validation`. */
export function requireNothingWritten(page: Page): void {
  const { unsent: message } = INBOX[page.lang];
  const written = (['text', 'file'] as const).filter((path) => field(page, path) !== '');
  if (written.length > 0)
    throw validation(written.map((path) => ({ path, rule: 'unsent', message })));
}

/** Whether there is a form for a reply: it stays while something stands in it. */
export const hasReplyForm = (page: Page, { can_reply }: Conversation): boolean =>
  page.may('conversations.reply') && (can_reply || field(page, 'text') !== '');

/** Its id, for buttons that stand elsewhere. */
export const REPLY_FORM = 'reply';

/** Why nothing can be written now. */
export const whyNoReply = ({ lang }: Page, { group_id: group }: Conversation): string =>
  group === null ? INBOX[lang].cannotReply : INBOX[lang].cannotReplyToGroup;

/** The form for a reply, or why there is none. */
export async function replying(page: Page, one: Conversation, name: string): Promise<Html | null> {
  const texts = INBOX[page.lang];
  if (!page.may('conversations.reply')) return null;
  const { can_reply, window_expires_at: until } = one;
  const template = can_reply ? null : await linkToTemplates(page, one);
  if (!hasReplyForm(page, one))
    return html`<p class="soft">${whyNoReply(page, one)}</p>${template}`;
  const text = areaField({
    ...asSent(page, 'text'),
    label: texts.replyTo(name),
    ...(until ? { hint: texts.window(page.format.time(until)) } : {}),
  });
  const file = fileField({
    name: 'file',
    label: texts.file,
    accept: TAKEN_TYPES,
    hint: wasRefused(page, 'reply') || wasRefused(page, 'close') ? texts.fileAgain : texts.fileHint,
    error: page.problems.get('file'),
  });
  const content = html`${text}${clientRef(page)}${file}<button>${texts.reply}</button>`;
  return html`${uploadForm(page, 'reply', content, REPLY_FORM)}${template}`;
}
