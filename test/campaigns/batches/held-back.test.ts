import { expect, it } from '@jest/globals';
import { applyToMessages } from '../../../src/inbound/updates/reports.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

it('What WhatsApp holds back is not counted as sent before it reports it, and keeps nobody else waiting', async () => {
  // More in a row than mean an outage.
  const held = Array.from({ length: 9 }, (_, n) => `+55119${n}0900008`);
  const made = await running(test, [...held, ...ordinaryPhones(3)]);

  await sendAll(test, made);
  const before = await detailOf(test, made);
  const accepted = acceptedBy(test, made);
  const [first, ...rest] = accepted.filter(({ to }) => to.endsWith('0900008'));
  await test.sqlOf(made, (sql) =>
    applyToMessages(
      sql,
      { organizationId: made.ref.organizationId, numberId: made.numberId, now: new Date() },
      [
        {
          // As if WhatsApp left the correlation out.
          correlation: null,
          providerId: first?.wamid ?? '',
          status: 'sent',
          error: null,
          at: new Date(),
        },
      ],
    ),
  );

  expect([accepted.length, rest.length]).toEqual([12, 8]);
  expect(before).toMatchObject({ status: 'done', results: { sent: 3, unconfirmed: 9 } });
  expect(await detailOf(test, made)).toMatchObject({ results: { sent: 4, unconfirmed: 8 } });
});
