import { describe, expect, it } from '@jest/globals';
import { resumeCampaign } from '../../../src/campaigns/states/transitions.ts';
import { idFloor } from '../../../src/ids.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

describe('recipients that were claimed when their campaign was paused, and given back before WhatsApp was asked', () => {
  it('get a message of the time at which it is sent, however much later', async () => {
    // The first one pauses the campaign while others are claimed already.
    const made = await running(test, ['+5521980132015', ...ordinaryPhones(200)]);
    expect(await sendAll(test, made)).toMatchObject({ stage: 'paused' });
    const before = acceptedBy(test, made).length;
    const { results } = await detailOf(test, made);
    const claimed = `select count(*) as n from campaign_recipients where status = 'pending' and message_id is not null`;
    // The one that was asked about keeps its message.
    expect([results.pending, await test.countOf(made, claimed)]).toEqual([201 - before, 1]);

    const later = new Date();
    await test.sqlOf(made, (sql) =>
      sql.rows(`delete from campaign_recipients where phone = '+5521980132015'`),
    );
    await resumeCampaign(made.ctx, made.ref.campaignId);
    await sendAll(test, made);

    const keys = acceptedBy(test, made).map(({ key }) => key ?? '');
    expect(keys).toHaveLength(200);
    expect(keys.slice(before).filter((key) => key < idFloor('msg', later))).toEqual([]);
  });
});
