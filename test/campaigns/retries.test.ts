import { describe, expect, it } from '@jest/globals';
import { updateCampaign } from '../../src/campaigns/service.ts';
import { retryCampaign } from '../../src/campaigns/states/retrying.ts';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { acceptedBy, detailOf, freeze, type Made, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

/** A campaign to two people, sent, of whom the first got this outcome. */
async function sentWith(outcome: string): Promise<Made> {
  const made = await running(test, ordinaryPhones(2));
  await sendAll(test, made);
  await turn(made, outcome);
  return made;
}

const turn = ({ ref, contactIds }: Made, status: string) =>
  inWorkspace(test.database, ref.organizationId, (sql) =>
    sql.rows(
      'update campaign_recipients set status = $3 where campaign_id = $1 and contact_id = $2',
      [ref.campaignId, contactIds[0], status],
    ),
  );

const turnAll = ({ ref }: Made, status: string) =>
  inWorkspace(test.database, ref.organizationId, async (sql) => {
    await sql.rows('update campaign_recipients set status = $2 where campaign_id = $1', [
      ref.campaignId,
      status,
    ]);
    await sql.rows("update campaigns set status = 'done' where id = $1", [ref.campaignId]);
  });

async function retried(made: Made, status: 'failed' | 'unconfirmed'): Promise<Made> {
  const { id } = await retryCampaign(made.ctx, made.ref.campaignId, { statuses: [status] });
  return { ...made, ref: { ...made.ref, campaignId: id } };
}

/** Sent; what its audience was. */
async function sent(made: Made) {
  const estimated = (await detailOf(test, made)).audience;
  await sendCampaign(made.ctx, made.ref.campaignId);
  await freeze(test, made);
  await sendAll(test, made);
  const { total, eligible, excluded } = (await detailOf(test, made)).audience;
  expect([total, eligible]).toEqual([estimated.total, estimated.eligible]);
  return { eligible, duplicate: excluded.duplicate };
}

const messages = (made: Made): number => acceptedBy(test, made).length;

describe('a retry', () => {
  it.each(['sent', 'delivered', 'read'])(
    'leaves out who got the first one after it was written (%s)',
    async (status) => {
      const made = await sentWith('unconfirmed');
      const retry = await retried(made, 'unconfirmed');
      await turn(made, status);

      expect(await sent(retry)).toEqual({ eligible: 0, duplicate: 1 });
      expect(messages(made)).toBe(2);
    },
  );

  it.each(['sent', 'delivered', 'read'])(
    'skips whom the first one turns out to have reached while it is being sent (%s)',
    async (status) => {
      const made = await sentWith('unconfirmed');
      const retry = await retried(made, 'unconfirmed');
      await sendCampaign(retry.ctx, retry.ref.campaignId);
      await freeze(test, retry);
      await turn(made, status);

      expect(await sendAll(test, retry)).toMatchObject({ stage: 'done', sent: 0, lost: 1 });

      const { results } = await detailOf(test, retry);
      expect(results).toMatchObject({ skipped: 1, reasons: { duplicate: 1 } });
      expect(messages(made)).toBe(2);
    },
  );

  it('leaves out who got another retry, written before or after it', async () => {
    const made = await sentWith('failed');
    const one = await retried(made, 'failed');
    const two = await retried(made, 'failed');

    expect(await sent(one)).toEqual({ eligible: 1, duplicate: 0 });
    expect(await sent(two)).toEqual({ eligible: 0, duplicate: 1 });
    await expect(retried(made, 'failed')).rejects.toMatchObject({
      details: [{ path: 'statuses', rule: 'none_left' }],
    });
    await expect(retried(made, 'unconfirmed')).rejects.toMatchObject({
      details: [{ path: 'statuses', rule: 'no_recipients' }],
    });
    expect(messages(made)).toBe(3);
  });

  it('leaves out who may have got another retry, until that one is retried', async () => {
    const made = await sentWith('failed');
    const one = await retried(made, 'failed');
    const two = await retried(made, 'failed');
    await sent(one);
    await turn(one, 'unconfirmed');

    expect(await sent(two)).toEqual({ eligible: 0, duplicate: 1 });
    expect(await sent(await retried(one, 'unconfirmed'))).toEqual({ eligible: 1, duplicate: 0 });
  });

  it('leaves out whom another one is being sent to at this moment', async () => {
    const made = await sentWith('failed');
    const one = await retried(made, 'failed');
    const two = await retried(made, 'failed');
    await sendCampaign(one.ctx, one.ref.campaignId);
    await freeze(test, one);
    await turn(one, 'sending');

    expect(await sent(two)).toEqual({ eligible: 0, duplicate: 1 });
  });

  it('leaves out who is about to get another one that begins at the same moment', async () => {
    const made = await running(test, ordinaryPhones(900));
    await turnAll(made, 'failed');
    const both = [await retried(made, 'failed'), await retried(made, 'failed')];
    for (const { ctx, ref } of both) await sendCampaign(ctx, ref.campaignId);

    await Promise.all(both.map((retry) => freeze(test, retry)));

    const counts = await Promise.all(
      both.map(async (retry) => (await detailOf(test, retry)).audience),
    );
    expect(counts.reduce((sum, { eligible }) => sum + eligible, 0)).toBe(900);
  });

  it('that is to a segment in the end says before it begins whom it leaves out', async () => {
    const made = await sentWith('failed');
    const retry = await retried(made, 'failed');
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const { id: segment_id } = await aSegment(made.ctx, { rules });
    const change = { target: 'segment', segment_id, contact_ids: [] } as const;
    await updateCampaign(made.ctx, retry.ref.campaignId, change);

    expect((await detailOf(test, retry)).audience).toMatchObject({ excluded: { duplicate: 1 } });
    expect(await sent(retry)).toEqual({ eligible: 1, duplicate: 1 });
  });

  it('says what the first one said, also what could not be written today', async () => {
    const made = await sentWith('failed');
    await inWorkspace(test.database, made.ref.organizationId, (sql) =>
      sql.rows("update campaigns set text = 'Oi {{name}!' where id = $1", [made.ref.campaignId]),
    );

    expect((await detailOf(test, await retried(made, 'failed'))).text).toBe('Oi {{name}!');
  });

  it('has a name of at most 80 letters, as every campaign', async () => {
    const made = await sentWith('failed');
    await inWorkspace(test.database, made.ref.organizationId, (sql) =>
      sql.rows('update campaigns set name = $2 where id = $1', [
        made.ref.campaignId,
        'é'.repeat(80),
      ]),
    );

    expect((await detailOf(test, await retried(made, 'failed'))).name).toBe(
      `${'é'.repeat(76)} (2)`,
    );
  });

  it('reaches again and again who was not reached', async () => {
    const made = await sentWith('failed');
    const one = await retried(made, 'failed');
    await sent(one);
    await turn(one, 'failed');

    expect(await sent(await retried(one, 'failed'))).toEqual({ eligible: 1, duplicate: 0 });
  });
});
