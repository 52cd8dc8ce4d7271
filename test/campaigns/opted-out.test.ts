import { describe, expect, it } from '@jest/globals';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { optOutByMember } from '../../src/contacts/opt-outs/opting-out.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { another, detailOf, freeze, type Made, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

const optOut = (made: Made, nth: number): Promise<unknown> =>
  optOutByMember({ ...made.ctx, now: new Date() }, made.contactIds[nth] ?? '');

const optedOut = async (made: Made): Promise<number> =>
  (await detailOf(test, made)).results.opted_out;

describe('who opted out, in the results of a campaign', () => {
  it('is counted once, in the one that reached them last', async () => {
    const first = await running(test, ordinaryPhones(4));
    await sendAll(test, first);
    await optOut(first, 0);
    const second = await another(first, first.contactIds.slice(1, 3));
    await sendCampaign({ ...first.ctx, now: new Date() }, second.ref.campaignId);
    await freeze(test, second);
    await sendAll(test, second);

    for (const nth of [1, 2, 3]) await optOut(first, nth);

    expect([await optedOut(first), await optedOut(second)]).toEqual([2, 2]);
  });

  it('is nobody whom it did not reach', async () => {
    const made = await running(test, ordinaryPhones(3));
    await optOut(made, 0);

    await sendAll(test, made);

    expect((await detailOf(test, made)).results).toMatchObject({
      skipped: 1,
      sent: 2,
      opted_out: 0,
    });
  });

  it('is nobody who did so more than a week after it, as with replies', async () => {
    const made = await running(test, ordinaryPhones(3));
    await sendAll(test, made);
    for (const nth of [0, 1]) await optOut(made, nth);
    const later = (id: string | undefined, days: number): Promise<unknown> =>
      rowsOf(
        made.ctx,
        'update contacts set opted_out_at = now() + make_interval(days => $2) where id = $1',
        [id, days],
      );
    await later(made.contactIds[0], 6);
    await later(made.contactIds[1], 8);

    expect(await optedOut(made)).toBe(1);
  });

  it('is somebody whose answer seems to be a few seconds older than the message', async () => {
    const made = await running(test, ordinaryPhones(3));
    await sendAll(test, made);
    for (const nth of [0, 1]) await optOut(made, nth);
    const earlier = (id: string | undefined, seconds: number): Promise<unknown> =>
      rowsOf(
        made.ctx,
        `update contacts c set opted_out_at = r.settled_at - make_interval(secs => $2)
         from campaign_recipients r where r.contact_id = c.id and c.id = $1`,
        [id, seconds],
      );
    await earlier(made.contactIds[0], 8);
    await earlier(made.contactIds[1], 15);

    expect(await optedOut(made)).toBe(1);
  });
});
