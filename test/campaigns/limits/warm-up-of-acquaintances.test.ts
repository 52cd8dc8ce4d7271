import { expect, it } from '@jest/globals';
import { aConversation } from '../../support/factories/conversations.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { drafted } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';
import { begin, pair, sentTimes, skippedFrom, skipThrough } from '../support/skipping.ts';

const test = opened(openSendingTest);

it('people whom a phone that warms up knows take no places of new ones', async () => {
  const time = skippedFrom(test, '2026-11-27T15:00:00Z');
  const number = { accessToken: 'of a phone' };
  const made = await drafted(test, ordinaryPhones(30), { campaign: { pace: 10 }, number });
  const { ctx, numberId } = made;
  await pair(test, made);
  for (const contactId of made.contactIds.slice(0, 10))
    await aConversation(ctx, { numberId, contactId });
  await rowsOf(ctx, 'update conversations set last_message_at = $1', [time.now()]);
  await begin(test, time, made);

  await skipThrough(time, made);

  // Twenty new people are as many as it may meet on its first day.
  const days = (await sentTimes(test, made)).map((at) => at.toISOString().slice(0, 10));
  expect(days).toEqual(Array(30).fill('2026-11-27'));
});
