import { beforeEach, describe, expect, it } from '@jest/globals';
import { claim } from '../../../src/campaigns/batches/claims.ts';
import { followMessages } from '../../../src/campaigns/batches/following.ts';
import { advance } from '../../../src/campaigns/batches/progress.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { settle } from '../../../src/campaigns/batches/settling.ts';
import { settlePaused } from '../../../src/campaigns/states/by-itself.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/campaigns/states/transitions.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { opened } from '../../support/opened.ts';
import {
  acceptedBy,
  detailOf,
  type Made,
  running,
  sendAll,
  startedAgain,
} from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

/** Listened to by an endpoint, that is, or nobody would be told of a campaign's messages. */
const SOMEWHERE = 'http://127.0.0.1:9';

const test = opened(openSendingTest);
beforeEach(() => test.faults({}));

/** What a worker does before it calls the provider; then it dies. */
const claimAndDie = (made: Made, limit: number, token = 'dead') =>
  test.sqlOf(made, (sql) =>
    claim(sql, {
      ...made.ref,
      numberId: made.numberId,
      window24h: false,
      limitsRevision: 0,
      token,
      limit,
      now: new Date(),
    }),
  );

/** As if the dead worker's lease were over. */
const leaseOver = (made: Made) =>
  test.sqlOf(made, (sql) =>
    sql.rows(
      `update campaign_recipients set claimed_at = now() - interval '16 seconds' where status = 'sending'`,
    ),
  );

describe('recipients of a worker that died', () => {
  it('are given up, never sent again, and the others are sent', async () => {
    const made = await running(test, ordinaryPhones(100));
    await anEndpoint(made.ctx, SOMEWHERE);
    const { claimed } = await claimAndDie(made, 17);
    await leaseOver(made);

    const progress = await sendAll(test, made);

    expect(progress).toMatchObject({ stage: 'done', sent: 83, lost: 17 });
    const lost = new Set(claimed.map(({ messageId }) => messageId));
    expect(acceptedBy(test, made).filter(({ key }) => lost.has(key ?? ''))).toEqual([]);
    expect((await detailOf(test, made)).results).toMatchObject({ sent: 83, unconfirmed: 17 });
    const events = `select count(*)::int8 as n from facts where type = 'message.sent'`;
    expect(await test.countOf(made, events)).toBe(83);
  });

  it('hold up nobody else while their lease runs', async () => {
    const made = await running(test, ordinaryPhones(20));
    await claimAndDie(made, 5);

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress).toMatchObject({ stage: 'sending', sent: 15, left: 5 });
    expect(progress.waitMs).toBeGreaterThan(0);
    expect(progress.waitMs).toBeLessThanOrEqual(3_000);
    expect((await detailOf(test, made)).results).toMatchObject({ sending: 5, unconfirmed: 0 });
  });

  it('are given up in a paused campaign too, though its workflow is lost', async () => {
    const made = await running(test, ordinaryPhones(5));
    await claimAndDie(made, 3);
    await pauseCampaign(made.ctx, made.ref.campaignId);
    const whileUnderWay = await startedAgain(test, made);
    await advance(test.deps, made.ref);
    const later = await startedAgain(test, made);
    await leaseOver(made);

    const progress = await advance(test.deps, made.ref);

    expect(progress).toMatchObject({ stage: 'paused', waitMs: 0, lost: 3, left: 2 });
    expect([whileUnderWay, later, await startedAgain(test, made)]).toEqual([true, true, false]);
    await resumeCampaign(made.ctx, made.ref.campaignId);
    expect(await sendAll(test, made)).toMatchObject({ stage: 'done', sent: 2 });
  });

  it('stay looked after in a campaign that was resumed and paused again after somebody saw none', async () => {
    const made = await running(test, ordinaryPhones(2));
    await claimAndDie(made, 1);
    await pauseCampaign(made.ctx, made.ref.campaignId);

    await settlePaused(made.ctx, made.ref.campaignId);

    expect(await startedAgain(test, made)).toBe(true);
    await leaseOver(made);
    await advance(test.deps, made.ref);
    expect(await startedAgain(test, made)).toBe(false);
  });

  it('are not written over by it when it comes back', async () => {
    const made = await running(test, ordinaryPhones(3));
    await anEndpoint(made.ctx, SOMEWHERE);
    const { claimed } = await claimAndDie(made, 3);
    await leaseOver(made);
    await sendAll(test, made);

    const facts = await test.sqlOf(made, (sql) =>
      settle(
        sql,
        { ...made.ref, numberId: made.numberId, now: new Date() },
        claimed.map((row) => ({ status: 'sent', row, providerId: `wamid.${row.messageId}` })),
      ),
    );

    expect(facts).toBe(0);
    expect((await detailOf(test, made)).results).toMatchObject({ sent: 0, unconfirmed: 3 });
  });

  it('are settled by status webhooks, which never go back', async () => {
    const made = await running(test, ordinaryPhones(1));
    const { claimed } = await claimAndDie(made, 1);
    await leaseOver(made);
    await sendAll(test, made);
    const messageId = claimed[0]?.messageId ?? '';
    const told = (status: 'sent' | 'delivered' | 'read' | 'failed') =>
      test.sqlOf(made, (sql) =>
        followMessages(sql, made.ref.organizationId, [
          { messageId, status, reason: status === 'failed' ? 'no_whatsapp' : null, at: new Date() },
        ]),
      );

    for (const status of [
      'failed',
      'sent',
      'delivered',
      'sent',
      'failed',
      'read',
      'delivered',
    ] as const) {
      await told(status);
    }

    const { results } = await detailOf(test, made);
    expect(results).toMatchObject({ read: 1, failed: 0, unconfirmed: 0 });
    expect(results.reasons).toEqual({
      no_whatsapp: 0,
      no_recipient: 0,
      throttled: 0,
      out_of_window: 0,
    });
  });
});

it('a campaign whose last one is under way is not paused by what failed before', async () => {
  const made = await running(test, ordinaryPhones(120));
  const change = (set: string, where: string): Promise<unknown> =>
    test.sqlOf(made, (sql) =>
      sql.rows(`update campaign_recipients set claimed_at = now(), ${set} where ${where}`),
    );
  const last = 'id = (select min(id) from campaign_recipients)';
  await change(`status = 'failed', reason = 'policy', settled_at = now()`, `not ${last}`);
  await change(`status = 'sending', attempt_token = 'dead'`, last);

  const progress = await sendBatch(test.deps, made.ref, untilDone);

  expect([progress, (await detailOf(test, made)).pause_reason]).toMatchObject([
    { stage: 'sending' },
    null,
  ]);
});
