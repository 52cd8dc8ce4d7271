import { beforeAll, expect, it } from '@jest/globals';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import type { WhatsAppNumber } from '../../src/numbers/entities.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let number: WhatsAppNumber;
beforeAll(async () => {
  number = await aNumber(door.ctx);
});
const send = (id: string, body: object): Promise<Reply> =>
  door.call('POST', `/conversations/${id}/messages`, body);

it.each([
  ['a line break', 'bolo\npão', 'format'],
  ['a carriage return', 'bolo\rpão', 'format'],
  ['a tab', 'bolo\tpão', 'format'],
  ['five spaces in a row', 'bolo     pão', 'format'],
  ['nothing that shows', ' \u200b', 'min_length'],
])('a parameter of a template with %s is refused, as WhatsApp would', async (_, word, rule) => {
  const contact = await aContact(door.ctx);
  const id = await aConversation(door.ctx, { numberId: number.id, contactId: contact.id });
  const template = (parameters: string[]) => ({
    template: { name: 'novo', language: 'pt_BR', parameters },
  });

  const refused = await send(id, template(['Ana', word]));
  const fitting = await send(id, template(['Ana', 'a    b']));

  expect(refused.body.error.details).toMatchObject([{ path: 'template.parameters[1]', rule }]);
  expect(fitting.status).toBe(201);
  const kept = await rowsOf(door.ctx, 'select template from messages where conversation_id = $1', [
    id,
  ]);
  expect(kept).toHaveLength(1);
});
