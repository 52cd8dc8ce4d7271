import { expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { lockPeople } from '../../../src/contacts/person.ts';
import { transact } from '../../../src/db/transact.ts';
import { untilWaiting } from '../../support/database.ts';
import { opened } from '../../support/opened.ts';
import { running } from '../support/running.ts';
import { openSendingTest, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);

it('an opt-out that the answer to a send tells of is kept before the answer is recorded', async () => {
  const made = await running(test, ['+5511980131050']);
  const outcome = () =>
    test.sqlOf(made, (sql) =>
      sql.rows<{ id: string }>(
        `select r.status, c.opted_out as out, c.id from campaign_recipients r join contacts c on c.id = r.contact_id`,
      ),
    );
  const [{ id } = { id: '' }] = await outcome();

  const { sending, meanwhile } = await transact({ ...made.ctx, now: new Date() }, async (tx) => {
    await lockPeople(tx, [id], 'no key');
    const sending = sendBatch(test.deps, made.ref, untilDone);
    await untilWaiting(test.database.app);
    return { sending, meanwhile: await outcome() };
  });
  await sending;

  expect(meanwhile).toEqual([{ status: 'sending', out: false, id }]);
  expect(await outcome()).toEqual([{ status: 'failed', out: true, id }]);
});
