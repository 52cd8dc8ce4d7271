import { beforeEach, describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { updateCampaign } from '../../../src/campaigns/service.ts';
import { retryCampaign } from '../../../src/campaigns/states/retrying.ts';
import { setPlan } from '../../../src/workspaces/service.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { opened } from '../../support/opened.ts';
import { acceptedBy, detailOf, running, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

const test = opened(openSendingTest);
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

  it('is no more than the plan allows now, whatever it allowed when the campaign was written, and refuses no change and no retry', async () => {
    const phones = ['+5521980131026', ...ordinaryPhones(3)];
    const made = await running(test, phones, { campaign: { pace: 600 } });
    const { ctx, numberId, contactIds } = made;
    const wishes = { number_id: numberId, contact_ids: [...contactIds], pace: 600 };
    const { id: draft } = await aCampaign(ctx, wishes);
    await setPlan(ctx, 'essencial');

    expect(await detailOf(test, made)).toMatchObject({ pace: 600, effective_pace: 60 });
    const begun = Date.now();
    expect(await sendAll(test, made)).toMatchObject({ stage: 'done', sent: 3 });

    const times = acceptedBy(test, made).map(({ t }) => t - begun);
    expect(times.toSorted((a, b) => a - b).filter((t, n) => t < n * 1_000 - EARLY_MS)).toEqual([]);
    expect(await updateCampaign(ctx, draft, { name: 'Outro nome' })).toMatchObject({ pace: 600 });
    await expect(updateCampaign(ctx, draft, { pace: 4800 })).rejects.toMatchObject({
      code: 'pace_not_allowed',
      details: { allowed: [10, 60] },
    });
    const again = await retryCampaign(ctx, made.ref.campaignId, { statuses: ['failed'] });
    expect(await detailOf(test, { ...made, ref: { ...made.ref, campaignId: again.id } })).toEqual(
      expect.objectContaining({ pace: 600, effective_pace: 60 }),
    );
  });

  it('leaves a slot far away to the workflow', async () => {
    const made = await running(test, ordinaryPhones(3), { campaign: { pace: 10 } });

    const begun = performance.now();
    const progress = await sendBatch(test.deps, made.ref, untilDone);
    const tookMs = performance.now() - begun;

    expect(progress).toMatchObject({ stage: 'sending', sent: 1, left: 2 });
    // What the batch itself took is no longer to be waited for.
    expect(progress.waitMs).toBeGreaterThan(5_800 - tookMs);
    expect(progress.waitMs).toBeLessThanOrEqual(6_000);
  });

  it('leaves only what is left of the way to the slot, however long WhatsApp took', async () => {
    await test.faults({ latency_ms: 1_500 });
    const made = await running(test, ordinaryPhones(3), { campaign: { pace: 10 } });

    const progress = await sendBatch(test.deps, made.ref, untilDone);

    expect(progress).toMatchObject({ stage: 'sending', sent: 1, left: 2 });
    expect(progress.waitMs).toBeGreaterThan(0);
    expect(progress.waitMs).toBeLessThanOrEqual(6_000 - 1_500);
  });
});
