import { getConversation } from '../../conversations/service.ts';
import { transact } from '../../db/transact.ts';
import { listNumbers } from '../../numbers/reading.ts';
import { canSend } from '../../numbers/rules.ts';
import { areaField, hidden, selectField } from '../../pages/fields.ts';
import { type Html, html } from '../../pages/html.ts';
import { disclosure, linkButton } from '../../pages/parts.ts';
import { call } from '../calling.ts';
import { atNewest } from '../inbox/address.ts';
import { type Action, field, idOf, type Page, wasRefused } from '../page.ts';
import { clientRef, requireFirst } from '../parts/client-ref.ts';
import { asSent, form } from '../parts/form.ts';
import { latestFirst } from '../parts/latest-number.ts';
import { CHOICES } from '../parts/listing.ts';
import { sendsTemplates } from '../templates/choosing.ts';
import { TEMPLATES } from '../templates/texts.ts';
import { CONTACTS } from './texts.ts';

interface Sent {
  readonly text: string;
  readonly conversation_id: string;
}

/** Writes to a contact who may never have written, and leads to the conversation in the inbox. */
export const write: Action = {
  permission: 'conversations.reply',
  run: async (page) => {
    const body = {
      number_id: field(page, 'number_id'),
      contact_id: idOf(page),
      text: field(page, 'text'),
      client_ref: field(page, 'client_ref'),
    };
    const sent = await call<Sent>(page, 'send_message', { body });
    const { number_id } = await transact(page.ctx, (tx) =>
      getConversation(tx, sent.conversation_id),
    );
    requireFirst(page, sent.text === body.text && number_id === body.number_id);
    return { to: atNewest(sent.conversation_id), flash: { text: CONTACTS[page.lang].sent } };
  },
  problemsAt: { contact_id: 'text', out_of_window: 'text', unknown_number: 'number_id' },
};

interface Reached {
  readonly id: string;
  readonly phone: string | null;
  readonly blocked: boolean;
}

/**
 * Nothing for somebody whom no message can reach, or while no number sends; what somebody wrote before that became so
 * stays.
 */
export async function writing(
  page: Page,
  { id: contactId, phone, blocked }: Reached,
): Promise<Html[]> {
  const again = wasRefused(page, 'write');
  if ((phone === null || blocked) && !again) return [];
  const texts = CONTACTS[page.lang];
  const { data } = await listNumbers(page.ctx, CHOICES);
  const sending = data.filter(({ status }) => canSend(status));
  const numbers = await latestFirst(page, contactId, sending);
  const [only] = numbers;
  if (!only && !again) return [];
  const from =
    only && numbers.length === 1
      ? hidden('number_id', only.id)
      : selectField({
          ...asSent(page, 'number_id'),
          label: texts.number,
          options: numbers.map(({ id, name }) => ({ value: id, label: name })),
        });
  const text = areaField({
    ...asSent(page, 'text'),
    label: texts.text,
    hint: texts.textHint,
    required: true,
  });
  const words = form(
    page,
    'write',
    html`${from}${text}${clientRef(page)}<button>${texts.send}</button>`,
  );
  const { title } = TEMPLATES[page.lang];
  return [
    disclosure(texts.write, words, { open: again }),
    ...(numbers.some(sendsTemplates) ? [linkButton(`${page.path}/template`, title, true)] : []),
  ];
}
