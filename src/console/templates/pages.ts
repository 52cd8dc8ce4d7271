import { nameOfContact } from '../../contacts/names.ts';
import { getContact } from '../../contacts/service.ts';
import { getConversation } from '../../conversations/service.ts';
import { call } from '../calling.ts';
import { CONTACTS } from '../contacts/texts.ts';
import { atNewest } from '../inbox/address.ts';
import { partnersOf } from '../inbox/participants.ts';
import { INBOX } from '../inbox/texts.ts';
import { type ConsolePage, type Done, field, idOf } from '../page.ts';
import { latestFirst } from '../parts/latest-number.ts';
import { TEMPLATE_PROBLEMS, templateChoice, templateIn, templateNumbers } from './choosing.ts';

/** To a contact who may never have written, by one of the numbers. */
const toContact: ConsolePage = {
  path: '/contacts/:id/template',
  id: 'con',
  permission: 'conversations.reply',
  view: async (page) => {
    const contact = await getContact(page.ctx, idOf(page));
    return templateChoice(page, {
      numbers: await latestFirst(page, contact.id, await templateNumbers(page)),
      above: [
        ['/contacts', CONTACTS[page.lang].nav],
        [`/contacts/${contact.id}`, nameOfContact(contact)],
      ],
    });
  },
  actions: {
    send: {
      permission: 'conversations.reply',
      once: true,
      run: async (page): Promise<Done> => {
        const { conversation_id: id } = await call<{ conversation_id: string }>(
          page,
          'send_message',
          {
            body: {
              number_id: field(page, 'number_id'),
              contact_id: idOf(page),
              template: templateIn(page),
            },
          },
        );
        return { to: atNewest(id), flash: { text: INBOX[page.lang].replied } };
      },
      problemsAt: TEMPLATE_PROBLEMS,
    },
  },
};

/** Into a conversation whose 24 hours are over. */
const intoConversation: ConsolePage = {
  path: '/inbox/:id/template',
  id: 'cnv',
  permission: 'conversations.reply',
  view: async (page) => {
    const conversation = await getConversation(page.ctx, idOf(page));
    const numbers = await templateNumbers(page);
    const partner = (await partnersOf(page, [conversation]))(conversation);
    return templateChoice(page, {
      numbers: numbers.filter(({ id }) => id === conversation.number_id),
      above: [
        ['/inbox', INBOX[page.lang].nav],
        [`/inbox/${conversation.id}`, partner],
      ],
    });
  },
  actions: {
    send: {
      permission: 'conversations.reply',
      once: true,
      run: async (page): Promise<Done> => {
        const id = idOf(page);
        await call(page, 'send_to_conversation', { id, body: { template: templateIn(page) } });
        return { to: atNewest(id), flash: { text: INBOX[page.lang].replied } };
      },
      problemsAt: TEMPLATE_PROBLEMS,
    },
  },
};

export const templatePages: readonly ConsolePage[] = [toContact, intoConversation];
