import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { openJob } from '../../../src/campaigns/batches/job.ts';
import { unanswered } from '../../../src/campaigns/batches/unanswered.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { losingAnswers } from '../../support/losing-answers.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

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

it('recipients that another process claimed are not taken for those of this one', async () => {
  const made = await running(test, ordinaryPhones(2));
  const [mine, theirs] = made.contactIds;
  await test.sqlOf(made, (sql) =>
    sql.rows(
      `update campaign_recipients set status = 'sending', claimed_at = now(), message_id = 'msg_' || message_key,
         attempt_token = case when contact_id = $1 then 'mine' else 'theirs' end where contact_id = any ($2)`,
      [mine, [mine, theirs]],
    ),
  );
  const job = await openJob(test.deps, made.ref);
  if (!job) throw new TypeError('the number cannot send');

  expect(await unanswered(test.deps, job, { token: 'mine' })).toMatchObject([{ contactId: mine }]);
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
    // The one that was turned away takes nothing of the day.
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(asked - 1);
  });

  it('are sent to once, and count once for the day, when the same batch claims them before it is repeated', async () => {
    // In flight and claimed ahead, which wait too long and go back; the rest is claimed while they do.
    const made = await running(test, ordinaryPhones(180));
    await setDailyLimit(made.ctx, made.numberId, 1_000);
    const returned = Promise.withResolvers<void>();
    let asked = 0;
    const through = test.through({
      ...test.deps.gateway,
      send: async (message) => {
        asked += 1;
        if (asked <= 64) await sleep(4_500);
        else if (asked <= 128) await returned.promise;
        else await sleep(500);
        return test.deps.gateway.send(message);
      },
    });
    const app = losingAnswers(test.database.app, 'campaign-settle', 1, returned.resolve);

    await sendAll(test, made, { ...through, database: { app } });

    const people = acceptedBy(test, made).map(({ to }) => to);
    expect([people.length, new Set(people).size]).toEqual([180, 180]);
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(180);
  });
});
