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

describe('recipients whose return the database committed without being able to say so', () => {
  it('make room in the day only once', async () => {
    const made = await running(test, ordinaryPhones(60), { campaign: { pace: 4_800 } });
    await setDailyLimit(made.ctx, made.numberId, 1_000);
    const refusal = { kind: 'throttled', reason: 'throttled', providerCode: 130429 } as const;
    let asked = 0;
    const through = test.through({
      ...test.deps.gateway,
      send: async (message) => {
        asked += 1;
        if (asked > 1) return test.deps.gateway.send(message);
        return { ...refusal, scope: 'number', retryAfterMs: 100 };
      },
    });
    const app = losingAnswers(test.database.app, 'campaign-settle', 1);

    await sendAll(test, made, { ...through, database: { app } });

    expect((await detailOf(test, made)).results).toMatchObject({ sent: 60, unconfirmed: 0 });
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(asked);
  });
});
