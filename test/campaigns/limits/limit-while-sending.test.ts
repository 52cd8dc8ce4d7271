import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { claimNext, type Paced, theBeginning } from '../../../src/campaigns/batches/claiming.ts';
import { openJob } from '../../../src/campaigns/batches/job.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { transact } from '../../../src/db/transact.ts';
import { statementsWaiting } from '../../support/waiting.ts';
import { acceptedBy, detailOf, running, sendAll, until } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from '../support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());

describe('a daily limit that is set while a campaign is being sent', () => {
  it('counts what the campaign has sent, and what it sends from then on', async () => {
    const made = await running(test, ordinaryPhones(400));
    let asked = 0;
    const through = test.through({
      ...test.deps.gateway,
      send: async (message) => {
        asked += 1;
        if (asked === 60) await setDailyLimit(made.ctx, made.numberId, 250);
        return test.deps.gateway.send(message);
      },
    });

    expect(await sendAll(test, made, through)).toMatchObject({ stage: 'paused', sent: 250 });

    expect((await detailOf(test, made)).pause_reason).toBe('daily_limit');
    expect(acceptedBy(test, made)).toHaveLength(250);
    expect(await test.countOf(made, 'select begun as n from campaign_days')).toBe(250);
  });

  it('is not missed by a claim that waits for it, nor by one of a batch from before', async () => {
    const made = await running(test, ordinaryPhones(20));
    const job = await openJob(test.deps, made.ref);
    if (!job) throw new TypeError('a number that can send');
    const claim = (): Promise<Paced> =>
      claimNext({ deps: test.deps, job, place: theBeginning() }, 10);

    const { waiting } = await transact(made.ctx, async (tx) => {
      await setDailyLimit(tx, made.numberId, 5);
      const waiting = claim();
      await until(async () => (await statementsWaiting(test.database.app)) > 0);
      return { waiting };
    });

    expect((await waiting).claimed).toEqual([]);
    expect((await claim()).claimed).toEqual([]);
    expect(await sendAll(test, made)).toMatchObject({ stage: 'paused', sent: 5, left: 15 });
  });
});
