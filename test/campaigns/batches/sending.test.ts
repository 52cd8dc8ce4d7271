import { beforeEach, describe, expect, it } from '@jest/globals';
import { createCloudApiGateway } from '../../../src/gateway/cloud-api/gateway.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);
beforeEach(() => test.faults({}));

describe('sending a batch', () => {
  it('sends to everybody exactly once and ends the campaign', async () => {
    const made = await running(test, ordinaryPhones(300));

    const progress = await sendAll(test, made);

    expect(progress).toMatchObject({ stage: 'done', sent: 300, lost: 0, left: 0 });
    const keys = acceptedBy(test, made).map((entry) => entry.key);
    expect(keys).toHaveLength(300);
    expect(new Set(keys).size).toBe(300);
    expect((await detailOf(test, made)).results).toMatchObject({ sent: 300, pending: 0 });
  });

  it('makes no event where no endpoint listens', async () => {
    const made = await running(test, ordinaryPhones(2));
    await anEndpoint(made.ctx, 'http://127.0.0.1:9', ['contact.created']);

    await sendAll(test, made);

    const events = `select count(*)::int8 as n from facts where type = 'message.sent'`;
    expect(await test.countOf(made, events)).toBe(0);
  });

  it('records one message.sent, one message and one conversation for each recipient', async () => {
    const made = await running(test, ordinaryPhones(70));
    await anEndpoint(made.ctx, 'http://127.0.0.1:9');

    await sendAll(test, made);

    const events = `select count(*)::int8 as n from facts where type = 'message.sent'`;
    expect(await test.countOf(made, events)).toBe(70);
    expect(
      await test.countOf(
        made,
        `select count(*) as n from conversations where last_message_at is not null`,
      ),
    ).toBe(70);
    const messages = await test.sqlOf(made, (sql) =>
      sql.rows<{ id: string; text: string; provider_id: string }>(
        `select id, text, provider_id from messages where status = 'sent' and sent_at is not null and source = 'campaign'`,
      ),
    );
    const ledger = acceptedBy(test, made);
    expect(new Map(messages.map((message) => [message.id, message.provider_id]))).toEqual(
      new Map(ledger.map((entry) => [entry.key, entry.wamid])),
    );
    expect(ledger[0]?.text).toBe('Oi Cliente!');
  });

  it('opens the conversation of a message that failed as one in which nothing was said', async () => {
    const made = await running(test, ['+5521980131026', ...ordinaryPhones(1)]);

    await sendAll(test, made);

    const opened = await test.sqlOf(made, (sql) =>
      sql.rows(
        `select m.status, v.last_message_at is not null as said from conversations v
         join messages m on m.conversation_id = v.id order by 1`,
      ),
    );
    expect(opened).toEqual([
      { status: 'failed', said: false },
      { status: 'sent', said: true },
    ]);
  });

  it('never sends twice when several attempts of it run at once', async () => {
    await test.faults({ latency_ms: 20 });
    const made = await running(test, ordinaryPhones(400));

    await Promise.all([sendAll(test, made), sendAll(test, made), sendAll(test, made)]);

    const people = acceptedBy(test, made).map(({ to }) => to);
    expect(people).toHaveLength(400);
    expect(new Set(people).size).toBe(400);
    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 400 } });
  });

  it('never sends again to a recipient whose answer was lost', async () => {
    await test.faults({ drop_after_accept_rate: 0.3 });
    const made = await running(test, ordinaryPhones(200));

    await sendAll(test, made);

    const people = acceptedBy(test, made).map(({ to }) => to);
    const dropped = acceptedBy(test, made).filter(({ decision }) => decision !== 'accepted');
    expect(new Set(people).size).toBe(people.length);
    const { results } = await detailOf(test, made);
    expect(dropped.length).toBeGreaterThan(10);
    // A cut connection may take one along that was only being written.
    expect(results.unconfirmed).toBeGreaterThanOrEqual(dropped.length);
    expect(results.sent + results.unconfirmed).toBe(200);
    expect(people.length).toBeGreaterThanOrEqual(results.sent);
  });

  it('frees its places at the deadline when answers never come', async () => {
    await test.faults({ hang_after_accept: true });
    const made = await running(test, ordinaryPhones(40));

    const impatient = createCloudApiGateway({
      baseUrl: test.simulator.url,
      version: 'v23.0',
      deadlineMs: 5_000,
    });
    const progress = await sendAll(test, made, test.through(impatient));
    await impatient.close();

    expect(progress).toMatchObject({ stage: 'done', sent: 0, lost: 40 });
    expect((await detailOf(test, made)).results.unconfirmed).toBe(40);
    expect(acceptedBy(test, made)).toHaveLength(40);
  });

  it('skips whoever opted out, was blocked or left the window after the freezing', async () => {
    const made = await running(test, ordinaryPhones(4));
    const [optedOut, blocked] = made.contactIds;
    await test.sqlOf(made, async (sql) => {
      await sql.rows('update contacts set opted_out = true where id = $1', [optedOut]);
      await sql.rows('update contacts set blocked = true where id = $1', [blocked]);
    });

    await sendAll(test, made);

    expect(acceptedBy(test, made)).toHaveLength(2);
    expect((await detailOf(test, made)).results).toMatchObject({
      sent: 2,
      skipped: 2,
      reasons: { opted_out: 1, no_recipient: 1 },
    });
  });
});
