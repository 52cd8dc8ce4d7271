import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { detailOf, running } from '../support/running.ts';
import {
  openSendingTest,
  ordinaryPhones,
  type SendingTest,
  untilDone,
} from '../support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());

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
