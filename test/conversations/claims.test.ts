import { describe, expect, it } from '@jest/globals';
import { staleOnes, takeDue } from '../../src/conversations/lane/claims.ts';
import { type Prepared, prepare } from '../../src/conversations/lane/preparing.ts';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import type { OutgoingMessage } from '../../src/conversations/sending/outgoing.ts';
import { sqlOver } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { laneScene } from './support/lane.ts';

const { scene, say, rows } = laneScene();

const take = (limit: number) =>
  takeDue(sqlOver(scene.database.system), { token: '7', held: [], limit, except: [] });

/** A number with a message to each of so many people, oldest first. */
async function aQueue(length: number, source: OutgoingMessage['source'] = 'api') {
  const numberId = (await aNumber(scene.ctx)).id;
  const ids: string[] = [];
  while (ids.length < length) {
    const contactId = (await aContact(scene.ctx)).id;
    const conversationId = await transact(scene.ctx, (tx) =>
      openConversation(tx, { numberId, contactId }),
    );
    ids.push(await say(conversationId, { source }));
  }
  return { numberId, ids };
}

const prepared = (numberId: string, ids: readonly string[]): Promise<Prepared> =>
  prepare(
    {
      database: scene.database,
      keyring: testKeyring,
      clock: { now: () => new Date(), skewMs: 0 },
    },
    { organizationId: scene.ctx.organizationId, numberId, ids, token: '7' },
  );

describe('what is taken out of the queue', () => {
  it('is a message of each number in turn, and people\u2019s replies before all', async () => {
    const long = [await aQueue(6), await aQueue(6), await aQueue(6)];
    const late = await aQueue(1, 'reminder');
    const reply = await aQueue(1, 'member');

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

    const { ready, settled } = await prepared(numberId, ids);

    expect([ready, settled]).toEqual([[], []]);
  });
});

describe('a message that its process has taken without knowing', () => {
  it('counts as forgotten only once the answer to its taking must have come', async () => {
    const { ids } = await aQueue(1);
    const forgotten = async (since: string): Promise<string[]> => {
      const taken = `update outgoing_messages set claim_token = '7', claimed_at = now() - $2::interval
        where message_id = any($1)`;
      await rows(taken, [ids, since]);
      const hand = { token: '7', held: [] };
      const stale = await staleOnes(sqlOver(scene.database.system), [], hand);
      return stale.map(({ messageId }) => messageId).filter((id) => ids.includes(id));
    };

    expect([await forgotten('1 second'), await forgotten('6 seconds')]).toEqual([[], ids]);
  });
});

describe('a message whose number is down', () => {
  const lost = { status: 'failed', error: { reason: 'number_unavailable' } };

  /** One that this process took, and that was written two hours ago. */
  async function anOldOne() {
    const { numberId, ids } = await aQueue(1);
    await rows("update outgoing_messages set claim_token = '7' where message_id = any($1)", [ids]);
    await rows("update messages set created_at = now() - interval '2 hours' where id = any($1)", [
      ids,
    ]);
    return { numberId, ids };
  }

  it.each([
    ['waits on, though it waited for its turn before', '1 second', { status: 'queued' }],
    ['is lost after an hour', '1 hour', lost],
  ])('%s', async (_, downFor, outcome) => {
    const { numberId, ids } = await anOldOne();
    await rows(
      `update numbers set status = 'disconnected', down_since = now() - $2::interval
       where id = $1`,
      [numberId, downFor],
    );

    const { settled } = await prepared(numberId, ids);

    expect(settled).toMatchObject([{ outcome }]);
  });

  it('is lost after an hour, too, when no token of its number can be read', async () => {
    const { numberId, ids } = await anOldOne();
    await rows("update numbers set access_token = 'of a lost key' where id = $1", [numberId]);

    const { settled } = await prepared(numberId, ids);

    expect(settled).toMatchObject([{ outcome: lost }]);
  });
});
