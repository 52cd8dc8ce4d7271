import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../src/campaigns/sending.ts';
import { acceptedBy, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest, untilDone } from './support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());
beforeEach(() => test.faults({}));

describe('the pace', () => {
  it('spaces sends evenly', async () => {
    const made = await running(test, ordinaryPhones(25), { campaign: { pace: 600 } });

    await sendAll(test, made);

    const times = acceptedBy(test, made).map(({ t }) => t);
    expect(times).toHaveLength(25);
    // The first one also opens a connection, so it may be late and close to its follower.
    const inOneSecond = times.map((from) => times.filter((t) => t >= from && t < from + 1_000));
    expect(Math.max(...inOneSecond.map(({ length }) => length))).toBeLessThanOrEqual(11);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(2_250);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(4_000);
  });

  it('is shared by everything that sends the campaign', async () => {
    const made = await running(test, ordinaryPhones(15), { campaign: { pace: 600 } });

    await Promise.all([sendAll(test, made), sendAll(test, made), sendAll(test, made)]);

    const times = acceptedBy(test, made).map(({ t }) => t);
    expect(times).toHaveLength(15);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(1_300);
  });

  it('leaves a slot far away to the workflow', async () => {
    const made = await running(test, ordinaryPhones(3), { campaign: { pace: 10 } });

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress).toMatchObject({ stage: 'sending', sent: 1, left: 2 });
    expect(progress.waitMs).toBeGreaterThan(5_000);
    expect(progress.waitMs).toBeLessThanOrEqual(6_000);
  });
});
