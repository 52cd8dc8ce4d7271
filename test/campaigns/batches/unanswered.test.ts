import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { losingAnswers } from '../../support/losing-answers.ts';
import { acceptedBy, detailOf, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from '../support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());

describe('recipients of a claim that the database committed without being able to say so', () => {
  it('are sent to after all, once, and count once for the day', async () => {
    const made = await running(test, ordinaryPhones(100));
    await setDailyLimit(made.ctx, made.numberId, 1_000);
    const deps = {
      ...test.deps,
      database: { app: losingAnswers(test.database.app, 'campaign-claim', 1) },
    };

    await expect(sendAll(test, made, deps)).rejects.toThrow('Connection terminated');
    const between = await detailOf(test, made);
    await sendAll(test, made);

    expect(between.results).toMatchObject({ pending: 100, sending: 0, unconfirmed: 0 });
    expect((await detailOf(test, made)).results).toMatchObject({ sent: 100, unconfirmed: 0 });
    const people = acceptedBy(test, made).map(({ to }) => to);
    expect([people.length, new Set(people).size]).toEqual([100, 100]);
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(100);
  });
});
