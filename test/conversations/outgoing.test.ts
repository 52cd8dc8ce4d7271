import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import type { Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';

let database: Database;
let ctx: Context;
let numberId: string;
let woken = 0;

beforeAll(async () => {
  database = await openOwnDatabase();
  const wake = (): void => {
    woken += 1;
  };
  ({ ctx } = await aWorkspace(database, { wake }));
  numberId = (await aNumber(ctx)).id;
});

afterAll(() => database.close());

async function begun(): Promise<{ contactId: string; conversationId: string }> {
  const contactId = (await aContact(ctx)).id;
  const pair = { numberId, contactId };
  return { contactId, conversationId: await transact(ctx, (tx) => openConversation(tx, pair)) };
}

describe('messages that are sent one by one', () => {
  it('queues a message with its author, and wakes the lane after the commit', async () => {
    const { conversationId, contactId } = await begun();
    woken = 0;

    const id = await transact(ctx, (tx) =>
      queueMessage(tx, { conversationId, source: 'api', text: 'Olá!' }),
    );

    expect(woken).toBe(1);
    const [kept] = await rowsOf(
      ctx,
      `select m.conversation_id, m.number_id, m.contact_id, m.direction, m.type, m.text, m.status, m.source,
         m.author, o.priority, o.claim_token
       from messages m join outgoing_messages o on o.message_id = m.id where m.id = $1`,
      [id],
    );
    expect(kept).toEqual({
      conversation_id: conversationId,
      number_id: numberId,
      contact_id: contactId,
      direction: 'outbound',
      type: 'text',
      text: 'Olá!',
      status: 'queued',
      source: 'api',
      author: { type: 'system', id: null, name: 'tests' },
      priority: 1,
      claim_token: null,
    });
  });

  it('keeps neither the message nor its place in the queue when the use case fails', async () => {
    const { conversationId } = await begun();
    const failing = transact(ctx, async (tx) => {
      await queueMessage(tx, { conversationId, source: 'member', text: 'Never' });
      throw new RangeError('no');
    });

    await expect(failing).rejects.toThrow('no');

    const found = await rowsOf(ctx, 'select id from messages where conversation_id = $1', [
      conversationId,
    ]);
    expect(found).toEqual([]);
  });

  it('refuses a conversation that does not exist', async () => {
    const queue = transact(ctx, (tx) =>
      queueMessage(tx, { conversationId: 'cnv_none', source: 'api', text: 'Olá!' }),
    );

    await expect(queue).rejects.toMatchObject({ code: 'not_found' });
  });

  it('begins one conversation for a number and a contact, however many ask at once', async () => {
    const contactId = (await aContact(ctx)).id;
    const open = (): Promise<string> =>
      transact({ ...ctx, em: ctx.em.fork() }, (tx) =>
        openConversation(tx, { numberId, contactId }),
      );

    const ids = await Promise.all([open(), open(), open(), open()]);

    expect(new Set(ids).size).toBe(1);
  });
});
