import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import type { WhatsAppNumber } from '../../src/numbers/entities.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { rowsOf } from '../support/rows-of.ts';

let door: OpenDoor;
let ctx: Context;
let key: string;
let number: WhatsAppNumber;
beforeAll(async () => {
  door = await openDoor({ routes: conversationRoutes });
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
  number = await aNumber(ctx);
});
afterAll(() => door.close());

const send = (id: string, body: object): Promise<Reply> =>
  door.api.call('POST', `/api/v1/conversations/${id}/messages`, { key, body });

it.each([
  ['a line break', 'bolo\npão', 'format'],
  ['a carriage return', 'bolo\rpão', 'format'],
  ['a tab', 'bolo\tpão', 'format'],
  ['five spaces in a row', 'bolo     pão', 'format'],
  ['nothing that shows', ' \u200b', 'min_length'],
])('a parameter of a template with %s is refused, as WhatsApp would', async (_, word, rule) => {
  const contact = await aContact(ctx);
  const id = await aConversation(ctx, { numberId: number.id, contactId: contact.id });
  const template = (parameters: string[]) => ({
    template: { name: 'novo', language: 'pt_BR', parameters },
  });

  const refused = await send(id, template(['Ana', word]));
  const fitting = await send(id, template(['Ana', 'a    b']));

  expect(refused.body.error.details).toMatchObject([{ path: 'template.parameters[1]', rule }]);
  expect(fitting.status).toBe(201);
  const kept = await rowsOf(ctx, 'select template from messages where conversation_id = $1', [id]);
  expect(kept).toHaveLength(1);
});
