import { describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, type Made, running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);

/** The first so many of 210 have it, and so many of them asked for no more at once. */
async function sentTo(count: number, optOuts: number): Promise<Made> {
  const made = await running(test, ordinaryPhones(210));
  await inWorkspace(test.database, made.ref.organizationId, async (sql) => {
    await sql.rows(
      `update campaign_recipients set status = 'sent', claimed_at = now(), settled_at = now()
       where id in (select id from campaign_recipients order by id limit $1)`,
      [count],
    );
    await sql.rows(
      `update contacts set opted_out = true, opted_out_at = now() + interval '1 second'
       where id in (select id from contacts order by id limit $1)`,
      [optOuts],
    );
  });
  return made;
}

describe('a campaign after which many people opt out', () => {
  it('pauses by itself when six of the last two hundred opted out, and sends to nobody more', async () => {
    const made = await sentTo(200, 6);

    await sendBatch(test.deps, made.ref, untilDone);

    expect(await detailOf(test, made)).toMatchObject({
      status: 'paused',
      pause_reason: 'opt_out_rate',
      results: { pending: 10, opted_out: 6 },
    });
    expect(acceptedBy(test, made)).toEqual([]);
  });

  it('goes on while five did', async () => {
    const made = await sentTo(200, 5);

    await sendBatch(test.deps, made.ref, untilDone);

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 210 } });
  });

  it('counts nobody whose opt-out is older than the message, as an import may tell', async () => {
    const made = await sentTo(200, 6);
    await test.sqlOf(made, (sql) =>
      sql.rows(
        `update contacts set opted_out_at = opted_out_at - interval '1 day' where opted_out`,
      ),
    );

    await sendBatch(test.deps, made.ref, untilDone);

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 210 } });
  });

  it('does not judge by fewer than two hundred', async () => {
    const made = await sentTo(199, 6);

    await sendBatch(test.deps, made.ref, untilDone);

    expect(await detailOf(test, made)).toMatchObject({ status: 'done', results: { sent: 210 } });
  });

  it('does not count those to whom WhatsApp gave nothing, as they had opted out there before', async () => {
    const before = Array.from({ length: 6 }, (_, n) => `+55${21 + n}980131050`);
    const made = await running(test, [...before, ...ordinaryPhones(204)]);
    const later = (when: string): Promise<unknown> =>
      test.sqlOf(made, (sql) =>
        sql.rows(
          `update campaign_recipients set not_before = ${when} where id in (select r.id from campaign_recipients r
             where r.phone not like '%131050' and r.status = 'pending' order by r.id desc limit 10)`,
        ),
      );
    await later(`now() + interval '1 hour'`);
    await sendBatch(test.deps, made.ref, untilDone);
    await later('null');

    await sendBatch(test.deps, made.ref, untilDone);

    expect(await detailOf(test, made)).toMatchObject({
      status: 'done',
      results: { sent: 204, failed: 6 },
    });
  });
});
