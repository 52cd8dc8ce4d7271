import { describe, expect, it } from '@jest/globals';
import { claimNext, type Paced, startPlace } from '../../../src/campaigns/batches/claiming.ts';
import { type Job, openJob } from '../../../src/campaigns/batches/job.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { transact } from '../../../src/db/transact.ts';
import { statementsWaiting, untilWaiting } from '../../support/database.ts';
import { opened } from '../../support/opened.ts';
import { eventually } from '../../support/waiting.ts';
import {
  acceptedBy,
  detailOf,
  drafted,
  freeze,
  type Made,
  running,
  sendAll,
} from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

/** Sent, and its first batch opened. */
async function begun(made: Made): Promise<Job> {
  await sendCampaign(made.ctx, made.ref.campaignId);
  await freeze(test, made);
  const job = await openJob(test.deps, made.ref);
  if (!job) throw new TypeError('a number that can send');
  return job;
}

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
      claimNext({ deps: test.deps, job, place: startPlace() }, 10);

    const { waiting } = await transact(made.ctx, async (tx) => {
      await setDailyLimit(tx, made.numberId, 5);
      const waiting = claim();
      await untilWaiting(test.database.app);
      return { waiting };
    });

    expect((await waiting).claimed).toEqual([]);
    expect((await claim()).claimed).toEqual([]);
    expect(await sendAll(test, made)).toMatchObject({ stage: 'paused', sent: 5, left: 15 });
  });

  it('is known to the first batch of a campaign that begins while it is being set', async () => {
    const made = await drafted(test, ordinaryPhones(20));
    let isOpen = false;

    const { begins } = await transact(made.ctx, async (tx) => {
      await setDailyLimit(tx, made.numberId, 5);
      const begins = begun(made).finally(() => {
        isOpen = true;
      });
      await eventually(async () => isOpen || (await statementsWaiting(test.database.app)) > 0);
      return { begins };
    });
    const job = await begins;

    const { claimed } = await claimNext({ deps: test.deps, job, place: startPlace() }, 10);
    expect(claimed).toHaveLength(5);
  });
});

describe('a daily limit that is changed while a campaign is being sent', () => {
  it('holds nobody up once it is removed', async () => {
    const made = await running(test, ordinaryPhones(400));
    await setDailyLimit(made.ctx, made.numberId, 250);
    let asked = 0;
    const through = test.through({
      ...test.deps.gateway,
      send: async (message) => {
        asked += 1;
        if (asked === 60) await setDailyLimit(made.ctx, made.numberId, null);
        return test.deps.gateway.send(message);
      },
    });

    expect(await sendAll(test, made, through)).toMatchObject({ stage: 'done', sent: 400 });
  });

  it.each([
    ['raised', 400],
    ['removed', null],
  ])('pauses nothing when it is %s after its last place was taken', async (_, limit) => {
    const made = await running(test, ordinaryPhones(120));
    await setDailyLimit(made.ctx, made.numberId, 90);
    let changed: Promise<void> | undefined;
    const change = async (): Promise<void> => {
      const taken = 'select begun as n from campaign_days';
      await eventually(async () => (await test.countOf(made, taken)) === 90);
      await setDailyLimit(made.ctx, made.numberId, limit);
    };
    const through = test.through({
      ...test.deps.gateway,
      send: async (message) => {
        changed ??= change();
        await changed;
        return test.deps.gateway.send(message);
      },
    });

    expect(await sendAll(test, made, through)).toMatchObject({ stage: 'done', sent: 120 });
  });
});
