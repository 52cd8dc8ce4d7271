import { describe, expect, it } from '@jest/globals';
import { judge } from '../../src/conversations/lane/outcomes.ts';
import { openConversation } from '../../src/conversations/sending/opening.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { transact } from '../../src/db/transact.ts';
import { holdNumber, numberState } from '../../src/numbers/pacer.ts';
import { aContact } from '../support/factories/contacts.ts';
import { eventually } from '../support/waiting.ts';
import { laneScene } from './support/lane.ts';

const { scene, aRelay, aTalk, say, becomes, ledgerOf } = laneScene();

describe('a message to somebody whom the number wrote to too much (131056)', () => {
  it('is tried six times, each time after a longer wait, and then lost', () => {
    const answer = { kind: 'throttled', scope: 'recipient', reason: 'throttled' } as const;
    const throttled = { ...answer, retryAfterMs: 0, providerCode: 131056 };

    const outcomes = [0, 1, 2, 3, 4, 5].map((attempts) => judge(throttled, attempts).outcome);

    expect(outcomes.slice(0, 5)).toEqual(
      [1, 4, 16, 64, 256].map((seconds) => ({
        status: 'queued',
        delayMs: seconds * 1_000,
        counted: true,
      })),
    );
    expect(outcomes[5]).toMatchObject({
      status: 'failed',
      error: { reason: 'throttled', provider_code: 131056 },
    });
  });
});

describe('a number that WhatsApp told to slow down', () => {
  const ofNumber = <T>(
    numberId: string,
    work: (sql: Sql, place: { organizationId: string; numberId: string }) => Promise<T>,
  ): Promise<T> => {
    const { organizationId } = scene.ctx;
    return inWorkspace(scene.database, organizationId, (sql) =>
      work(sql, { organizationId, numberId }),
    );
  };
  const slowDown = (id: string): Promise<unknown> =>
    ofNumber(id, (sql, place) => holdNumber(sql, place, { retryAfterMs: 0, slows: true }));
  const refusalsOf = async (id: string): Promise<number> =>
    (await ofNumber(id, numberState)).refusals;

  it('finds out with a single message whether it is let off', async () => {
    // WhatsApp refuses a message to this phone twice, with 130429.
    const { conversationId, numberId } = await aTalk({ phone: '+5511970900003' });
    await slowDown(numberId);
    const refused = await say(conversationId);
    const others: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      const { id: contactId } = await aContact(scene.ctx);
      const pair = { numberId, contactId };
      others.push(await say(await transact(scene.ctx, (tx) => openConversation(tx, pair))));
    }
    await aRelay();

    await eventually(() => ledgerOf(refused).length > 0);
    await Promise.all(others.map((id) => becomes(id, 'sent')));

    const asked = others.flatMap((id) => ledgerOf(id).map(({ t }) => t));
    const firstAt = ledgerOf(refused)[0]?.t ?? 0;
    expect(Math.min(...asked) - firstAt).toBeGreaterThan(1_000);
  });

  it('is let off by the first message that WhatsApp takes', async () => {
    const { conversationId, numberId } = await aTalk();
    await slowDown(numberId);
    const before = await refusalsOf(numberId);
    const id = await say(conversationId);
    await aRelay();

    await becomes(id, 'sent');
    await eventually(async () => (await refusalsOf(numberId)) === 0);

    expect(before).toBe(1);
  });
});
