import { describe, expect, it } from '@jest/globals';
import { openJob } from '../../../src/campaigns/batches/job.ts';
import { endDay } from '../../../src/campaigns/batches/reacting.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { dayOf } from '../../../src/campaigns/limits/quiet-hours.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import type { Gateway } from '../../../src/gateway/port.ts';
import { losingAnswers } from '../../support/losing-answers.ts';
import { opened } from '../../support/opened.ts';
import { detailOf, type Made, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

const DAY_MS = 86_400_000;

/** The day after today has begun messages already, and comes when `pass` is called. */
async function twoDays(made: Made, begun: number) {
  const today = test.deps.clock.now();
  const tomorrow = new Date(today.getTime() + DAY_MS);
  let now = today;
  await inWorkspace(test.database, made.ref.organizationId, (sql) =>
    sql.rows(
      `insert into campaign_days (organization_id, number_id, day, begun)
       select organization_id, $2, ($3::timestamptz at time zone time_zone)::date, $4::int from workspaces where organization_id = $1`,
      [made.ref.organizationId, made.numberId, tomorrow, begun],
    ),
  );
  return {
    clock: { ...test.deps.clock, now: () => now },
    pass: () => {
      now = tomorrow;
    },
  };
}

const begunOn = async (made: Made): Promise<number[]> => {
  const days = await inWorkspace(test.database, made.ref.organizationId, (sql) =>
    sql.rows<{ begun: number }>('select begun from campaign_days order by day'),
  );
  return days.map(({ begun }) => begun);
};

describe('what was claimed before midnight and is given back after it', () => {
  it('makes room in the day that it was counted on, not in the new one', async () => {
    // The first one pauses the campaign while others are claimed already.
    const made = await running(test, ['+5521980132015', ...ordinaryPhones(200)]);
    await setDailyLimit(made.ctx, made.numberId, 400);
    const midnight = await twoDays(made, 150);
    const gateway: Gateway = {
      ...test.deps.gateway,
      send: async (message) => {
        const result = await test.deps.gateway.send(message);
        midnight.pass();
        return result;
      },
    };
    const deps = { ...test.deps, clock: midnight.clock, gateway };

    expect(await sendAll(test, made, deps)).toMatchObject({ stage: 'paused' });

    const sent = 201 - (await detailOf(test, made)).results.pending;
    const [before = 0, after = 0] = await begunOn(made);
    expect(after).toBeGreaterThanOrEqual(150);
    expect(before + after).toBe(150 + sent);
  });

  it('does so when the database committed the claim without being able to say so', async () => {
    const made = await running(test, ordinaryPhones(20));
    await setDailyLimit(made.ctx, made.numberId, 1_000);
    const midnight = await twoDays(made, 150);
    const app = losingAnswers(test.database.app, 'campaign-claim', 1, midnight.pass);
    const deps = { ...test.deps, clock: midnight.clock, database: { app } };

    await expect(sendAll(test, made, deps)).rejects.toThrow('Connection terminated');

    expect(await begunOn(made)).toEqual([0, 150]);
  });
});

describe('a day that was found to be over just before midnight', () => {
  it.each(['daily_limit', 'warm_up'] as const)('ends nothing after it (%s)', async (why) => {
    const made = await running(test, ordinaryPhones(2));
    await setDailyLimit(made.ctx, made.numberId, 1);
    const job = await openJob(test.deps, made.ref);
    if (!job?.limited) throw new Error('a job with limits');
    const today = dayOf(job.limited.timeZone, test.deps.clock.now());
    const midnight = await twoDays(made, 0);
    midnight.pass();

    await endDay({ ...test.deps, clock: midnight.clock }, job, why, today);

    expect(await detailOf(test, made)).toMatchObject({ status: 'sending', waiting_until: null });
  });
});
