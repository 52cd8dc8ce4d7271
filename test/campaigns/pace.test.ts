import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../src/campaigns/batches/sending.ts';
import { acceptedBy, running, sendAll } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest, untilDone } from './support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());
beforeEach(() => test.faults({}));

/** Turns are given out for a moment ahead. */
const EARLY_MS = 110;

describe('the pace', () => {
  it('spaces sends evenly', async () => {
    const made = await running(test, ordinaryPhones(25), { campaign: { pace: 600 } });

    const begun = Date.now();
    await sendAll(test, made);

    const times = acceptedBy(test, made)
      .map(({ t }) => t - begun)
      .toSorted((a, b) => a - b);
    expect(times).toHaveLength(25);
    // A busy machine may send late; nothing ever goes before its turn.
    const early = times.filter((t, n) => t < n * 100 - EARLY_MS);
    expect(early).toEqual([]);
    expect(times.at(-1)).toBeLessThan(60_000);
  });

  it('is shared by everything that sends the campaign', async () => {
    const made = await running(test, ordinaryPhones(15), { campaign: { pace: 600 } });

    const begun = Date.now();
    await Promise.all([sendAll(test, made), sendAll(test, made), sendAll(test, made)]);

    const times = acceptedBy(test, made)
      .map(({ t }) => t - begun)
      .toSorted((a, b) => a - b);
    expect(times).toHaveLength(15);
    expect(times.filter((t, n) => t < n * 100 - EARLY_MS)).toEqual([]);
  });

  it('leaves a slot far away to the workflow', async () => {
    const made = await running(test, ordinaryPhones(3), { campaign: { pace: 10 } });

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress).toMatchObject({ stage: 'sending', sent: 1, left: 2 });
    expect(progress.waitMs).toBeGreaterThan(5_000);
    expect(progress.waitMs).toBeLessThanOrEqual(6_000);
  });
});
