import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { queueMessage } from '../../src/conversations/sending/outgoing.ts';
import { transact } from '../../src/db/transact.ts';
import { aContact } from '../support/factories/contacts.ts';
import { losingAnswers } from '../support/losing-answers.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';

const { scene, faults, aRelay, aTalk, say, rows, kept, becomes, ledgerOf } = laneScene();

/** By the process that has the other message in hand. */
const TAKEN_ALIKE = `
update outgoing_messages o set claim_token = other.claim_token, claimed_at = now() from outgoing_messages other
where o.organization_id = $1 and o.message_id = $2 and other.organization_id = $1 and other.message_id = $3`;

/** A conversation with somebody else. */
const another = async (numberId: string): Promise<string> => {
  const contactId = (await aContact(scene.ctx)).id;
  return transact(scene.ctx, (tx) => openConversation(tx, { numberId, contactId }));
};

/** As a number does that was turned away; the others of a batch go back for a moment. */
const triesOneFirst = (numberId: string) =>
  rows(
    `insert into pacers (organization_id, number_id, lane, next_at, refusals) values ($1, $2, 'number', now(), 1)`,
    [scene.ctx.organizationId, numberId],
  );

describe('messages of which it is not known who has them in hand', () => {
  it('are found by who took them without knowing, as the answer got lost; it leaves alone what it has in hand', async () => {
    const slow = await aTalk();
    const forgotten = await aTalk();
    await faults({ latency_ms: 9_000 });
    await aRelay();
    const held = await say(slow.conversationId);
    await becomes(held, 'sending');
    await faults({});

    const lost = await transact(scene.ctx, async (tx) => {
      const { conversationId } = forgotten;
      const id = await queueMessage(tx, { conversationId, source: 'api', text: 'Olá!' });
      await tx.sql.rows(TAKEN_ALIKE, [tx.organizationId, id, held]);
      return id;
    });

    await becomes(lost, 'sent');
    await becomes(held, 'sent');
    expect([ledgerOf(lost).length, ledgerOf(held).length]).toEqual([1, 1]);
  });

  it('are sent once if it was the intent whose answer got lost', async () => {
    const { conversationId } = await aTalk();
    const app = losingAnswers(scene.database.app, 'outgoing-intend', 1);
    await aRelay(undefined, { ...scene.database, app });

    const id = await say(conversationId);
    await becomes(id, 'sent');

    expect(ledgerOf(id)).toHaveLength(1);
  });

  it('are sent once if it was their return, and it is repeated only after they are due again', async () => {
    const { numberId, conversationId } = await aTalk();
    await triesOneFirst(numberId);
    await faults({ latency_ms: 1_000 });
    const ids = [await say(conversationId), await say(await another(numberId))];
    const wake = (): void => void sleep(40).then(() => waker.wake('messages'));
    const app = losingAnswers(scene.database.app, 'outgoing-settle-one', 1, wake);
    const { waker } = await aRelay(undefined, { ...scene.database, app });

    for (const id of ids) await becomes(id, 'sent');

    expect(ids.map((id) => ledgerOf(id).length)).toEqual([1, 1]);
  });

  it('are not given up when they are taken again while the rest of their batch is under way', async () => {
    const { numberId, conversationId } = await aTalk();
    // 131026, at once.
    const nobody = await aContact(scene.ctx, { phone: '+5511980131026' });
    const refused = await transact(scene.ctx, (tx) =>
      openConversation(tx, { numberId, contactId: nobody.id }),
    );
    // The second one's turn is three seconds after the first one's.
    await rows('update numbers set ceiling_per_minute = 20 where id = $1', [numberId]);
    await faults({ latency_ms: 6_000 });
    const first = await say(conversationId);
    const second = await say(refused);
    await aRelay();
    await becomes(first, 'sending');
    await faults({ latency_ms: 9_000 });

    await becomes(first, 'sent');
    await eventually(
      async () => !['queued', 'sending'].includes((await kept(second))?.status ?? ''),
    );

    expect(await kept(second)).toMatchObject({
      status: 'failed',
      error: { provider_code: 131026 },
    });
  });

  it('are freed when it was a process that ended: what may have left is unconfirmed, the rest goes out', async () => {
    const [sending, waiting] = await Promise.all([aTalk(), aTalk()]);
    const begun = await say(sending.conversationId);
    const queued = await say(waiting.conversationId);
    await rows(
      `update outgoing_messages set claim_token = '12', claimed_at = now() where message_id = any($1)`,
      [[begun, queued]],
    );
    await rows(`update messages set status = 'sending' where id = $1`, [begun]);

    await aRelay();
    await becomes(begun, 'unconfirmed');
    await becomes(queued, 'sent');

    expect(ledgerOf(begun)).toEqual([]);
    expect(ledgerOf(queued)).toHaveLength(1);
  });
});
