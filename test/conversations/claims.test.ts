import { describe, expect, it } from '@jest/globals';
import { takeDue } from '../../src/conversations/lane/claims.ts';
import { prepare } from '../../src/conversations/lane/preparing.ts';
import { openConversation } from '../../src/conversations/sending/outgoing.ts';
import { sqlOver } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { laneScene } from './support/lane.ts';

const { scene, say, rows } = laneScene();

const take = (limit: number) =>
  takeDue(sqlOver(scene.database.system), { token: '7', limit, except: [] });

/** A number with a message to each of so many people, oldest first. */
async function aQueue(length: number, priority = 1) {
  const numberId = (await aNumber(scene.ctx)).id;
  const ids: string[] = [];
  while (ids.length < length) {
    const contactId = (await aContact(scene.ctx)).id;
    const conversationId = await transact(scene.ctx, (tx) =>
      openConversation(tx, { numberId, contactId }),
    );
    ids.push(await say(conversationId, { priority }));
  }
  return { numberId, ids };
}

describe('what is taken out of the queue', () => {
  it('is a message of each number in turn, and people\u2019s replies before all', async () => {
    const long = [await aQueue(6), await aQueue(6), await aQueue(6)];
    const late = await aQueue(1, 2);
    const reply = await aQueue(1, 0);

    const first = await take(1);
    const next = await take(4);

    expect(first.map(({ messageId }) => messageId)).toEqual(reply.ids);
    expect(next.map(({ messageId }) => messageId).sort()).toEqual(
      [...long.map(({ ids }) => ids[0]), ...late.ids].sort(),
    );
  });

  it('is let alone by a second taker of the same process once it is on its way', async () => {
    const { numberId, ids } = await aQueue(1);
    await rows("update outgoing_messages set claim_token = '7' where message_id = any($1)", [ids]);
    await rows("update messages set status = 'sending' where id = any($1)", [ids]);
    await rows("update numbers set status = 'disconnected' where id = $1", [numberId]);

    const { ready, settled } = await prepare(
      {
        database: scene.database,
        keyring: testKeyring,
        clock: { now: () => new Date(), skewMs: 0 },
      },
      {
        organizationId: scene.ctx.organizationId,
        numberId,
        ids,
        token: '7',
        upload: () => Promise.reject(new Error('There is no file.')),
      },
    );

    expect([ready, settled]).toEqual([[], []]);
  });
});
