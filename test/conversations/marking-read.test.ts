import { beforeAll, describe, expect, it } from '@jest/globals';
import { keepMessage } from '../../src/conversations/receiving/receiving.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: conversationRoutes }));
let numberId: string;

beforeAll(async () => {
  numberId = (await aNumber(door.ctx)).id;
});

/** A conversation in which a person wrote three times, and nobody read it. */
async function unread(): Promise<{ id: string; messages: string[] }> {
  const contactId = (await aContact(door.ctx)).id;
  const id = await aConversation(door.ctx, { numberId, contactId });
  const messages: string[] = [];
  for (const text of ['Oi', 'Tem bolo?', 'E pão?']) {
    const kept = await transact(door.ctx, (tx) =>
      keepMessage(tx, {
        numberId,
        contactId,
        text,
        type: 'text',
        media: null,
        replyTo: null,
        providerId: `wamid.${newId('msg')}`,
        at: new Date(),
      }),
    );
    messages.push(kept.messageId);
  }
  return { id, messages };
}

const read = (id: string, body: object) => door.call('POST', `/conversations/${id}/read`, body);

describe('marking a conversation as read', () => {
  it('takes what was seen off the unread, once, and leaves the person waiting', async () => {
    const { id, messages } = await unread();

    const some = await read(id, { through: messages[1] });
    const again = await read(id, { through: messages[1] });
    const rest = await read(id, { through: messages[2] });

    expect([some, again, rest].map(({ status, body }) => [status, body.id, body.unread])).toEqual([
      [200, id, 1],
      [200, id, 1],
      [200, id, 0],
    ]);
    expect(rest.body.waiting_since).toEqual(expect.any(String));
    const entries = await rowsOf(
      door.ctx,
      `select changes from audit_entries where action = 'conversation.read' and target ->> 'id' = $1 order by id`,
      [id],
    );
    expect(entries).toEqual([
      { changes: [{ field: 'unread', from: 3, to: 1 }] },
      { changes: [{ field: 'unread', from: 1, to: 0 }] },
    ]);
  });

  it('is refused up to a message of another conversation, and without one', async () => {
    const mine = await unread();
    const other = await unread();

    const elsewhere = await read(mine.id, { through: other.messages[0] });
    const nowhere = await read(mine.id, {});

    expect([elsewhere, nowhere].map(({ status }) => status)).toEqual([422, 422]);
    expect(elsewhere.body.error.details).toMatchObject([
      { path: 'through', rule: 'unknown_message' },
    ]);
    expect(nowhere.body.error.details).toMatchObject([{ path: 'through', rule: 'required' }]);
    expect((await door.call('GET', `/conversations/${mine.id}`)).body.unread).toBe(3);
  });
});
