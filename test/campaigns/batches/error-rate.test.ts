import { expect, it } from '@jest/globals';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

it.each([
  [10, 50, 'paused'],
  [9, 50, 'done'],
  [10, 49, 'done'],
  // The first of them is none of the last fifty.
  [10, 51, 'done'],
])('after %d failures among %d sends a campaign is %s', async (failures, sends, stage) => {
  const made = await running(test, ordinaryPhones(55));
  await rowsOf(
    made.ctx,
    `update campaign_recipients r set status = case when o.n <= $1 then 'failed' else 'sent' end,
       claimed_at = c.running_since + o.n * interval '1 millisecond', settled_at = now()
     from campaigns c, (select id, row_number() over (order by id) as n from campaign_recipients) o
     where c.id = r.campaign_id and o.id = r.id and o.n <= $2`,
    [failures, sends],
  );

  expect(await sendAll(test, made)).toMatchObject({ stage });
});
