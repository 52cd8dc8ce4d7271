import { describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../../src/campaigns/audience/previewing.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { setGuards } from '../../../src/campaigns/limits/guards.ts';
import { warmUpCap } from '../../../src/campaigns/limits/warm-up.ts';
import { retryCampaign } from '../../../src/campaigns/states/retrying.ts';
import {
  pauseCampaign,
  resumeCampaign,
  sendCampaign,
} from '../../../src/campaigns/states/transitions.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import {
  another,
  detailOf,
  drafted,
  freeze,
  type Made,
  running,
  sendAll,
} from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';
import { runningAt, skippedFrom, skipThrough } from '../support/skipping.ts';

const test = opened(openSendingTest);

const rows = <R>(made: Made, text: string, params: unknown[] = []) =>
  rowsOf<R>(made.ctx, text, params);

describe('the frequency cap', () => {
  it('leaves out whoever had that many campaigns lately, and says so before and after', async () => {
    const made = await drafted(test, ordinaryPhones(5));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const [a, b, c, d] = made.contactIds;
    const earlier = await another(
      made,
      [a, b, c].flatMap((id) => id ?? []),
    );
    await sendCampaign(earlier.ctx, earlier.ref.campaignId);
    await freeze(test, earlier);
    await sendAll(test, earlier);
    await rows(
      made,
      `update campaign_recipients set claimed_at = now() - interval '8 days' where contact_id = $1`,
      [b],
    );
    await rows(made, `update campaign_recipients set status = 'failed' where contact_id = $1`, [c]);
    // About to get another one, which is under way.
    const begun = await another(made, [d ?? '']);
    await sendCampaign(begun.ctx, begun.ref.campaignId);
    await freeze(test, begun);

    const { audience: before } = await detailOf(test, made);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);
    await sendAll(test, made);

    const { audience, results } = await detailOf(test, made);
    expect(audience.excluded).toMatchObject({ frequency_cap: 2, duplicate: 0 });
    expect(before.excluded).toEqual(audience.excluded);
    expect(results.sent).toBe(3);
  });

  it('does not count what may not have arrived against its retry, or against the retry of that', async () => {
    const made = await drafted(test, ordinaryPhones(3));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const [lost, arrived, failed] = made.contactIds;
    const sent = async (campaign: Made) => {
      await sendCampaign(campaign.ctx, campaign.ref.campaignId);
      await freeze(test, campaign);
      await sendAll(test, campaign);
      return detailOf(test, campaign);
    };
    const settle = (status: string, contactId: string | undefined) =>
      rows(made, 'update campaign_recipients set status = $1 where contact_id = $2', [
        status,
        contactId,
      ]);
    const retried = async ({ ref }: Made): Promise<Made> => {
      const statuses = ['failed', 'unconfirmed'] as const;
      const { id } = await retryCampaign(made.ctx, ref.campaignId, { statuses });
      return { ...made, ref: { ...ref, campaignId: id } };
    };
    await sent(made);
    await settle('unconfirmed', lost);
    await settle('unconfirmed', arrived);
    await settle('failed', failed);
    const retry = await retried(made);
    await settle('delivered', arrived);

    const { audience: before } = await detailOf(test, retry);
    const { audience, results } = await sent(retry);
    await settle('unconfirmed', lost);
    const again = await sent(await retried(retry));
    const other = await sent(await another(made, [lost ?? '']));

    expect(before.excluded).toMatchObject({ frequency_cap: 0, duplicate: 1 });
    expect(audience.excluded).toEqual(before.excluded);
    expect(results.sent).toBe(2);
    expect([again.audience.eligible, again.results.sent]).toEqual([1, 1]);
    expect(other.audience).toMatchObject({ eligible: 0, excluded: { frequency_cap: 1 } });
  });

  it('counts whom another campaign is being sent to at this moment, and nobody who waits in a paused one', async () => {
    const made = await drafted(test, ordinaryPhones(3));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const other = await another(made, made.contactIds.slice(0, 2));
    await sendCampaign(other.ctx, other.ref.campaignId);
    await freeze(test, other);
    await rows(
      made,
      `update campaign_recipients set status = 'sending', claimed_at = now() where contact_id = $1`,
      [made.contactIds[0]],
    );
    await pauseCampaign(other.ctx, other.ref.campaignId);

    const { audience: before } = await detailOf(test, made);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);

    const { audience } = await detailOf(test, made);
    expect(audience).toMatchObject({ eligible: 2, excluded: { frequency_cap: 1 } });
    expect(before.excluded).toEqual(audience.excluded);
  });

  it('is the same for rules, counted at once and frozen by spans', async () => {
    const made = await drafted(test, ordinaryPhones(4));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const earlier = await another(made, made.contactIds.slice(0, 3));
    await sendCampaign(earlier.ctx, earlier.ref.campaignId);
    await freeze(test, earlier);
    await sendAll(test, earlier);
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const { id } = await aSegment(made.ctx, { rules });
    await rows(
      made,
      `update campaigns set target = 'segment', segment_id = $1, contact_ids = '{}' where id = $2`,
      [id, made.ref.campaignId],
    );

    const { audience: before } = await detailOf(test, made);
    await sendCampaign(made.ctx, made.ref.campaignId);
    await freeze(test, made);

    const { audience } = await detailOf(test, made);
    expect(audience.excluded).toMatchObject({ frequency_cap: 3 });
    expect(before.excluded).toEqual(audience.excluded);
  });
});

describe('the days of a number', () => {
  it.each([
    [1, 20],
    [2, 28],
    [3, 39],
    [12, 809],
    [13, 1_000],
    [400, 1_000],
  ])('on its day %d a paired number may write to %d new people', (day, cap) => {
    expect(warmUpCap(day)).toBe(cap);
  });

  it('have one limit for all campaigns of a number, and a new one tomorrow', async () => {
    const time = skippedFrom(test, '2026-11-28T15:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(6));
    await setDailyLimit(made.ctx, made.numberId, 8);
    expect(await skipThrough(time, made)).toMatchObject({ stage: 'done', sent: 6 });
    const second = await another(made, made.contactIds);
    await sendCampaign(time.at(second.ctx), second.ref.campaignId);
    await freeze(test, second);

    const progress = await skipThrough(time, second);

    expect(progress).toMatchObject({ stage: 'paused', sent: 2, left: 4 });
    expect((await detailOf(test, second)).pause_reason).toBe('daily_limit');
    time.skip(24 * 3_600_000);
    await resumeCampaign(time.at(second.ctx), second.ref.campaignId);
    expect(await skipThrough(time, second)).toMatchObject({ stage: 'done', sent: 6 });
  });
});

describe('a daily limit that is set during the day', () => {
  it('counts what the number had sent before', async () => {
    const made = await running(test, ordinaryPhones(6));
    await sendAll(test, made);
    const second = await another(made, made.contactIds);

    await setDailyLimit(made.ctx, made.numberId, 8);

    const { timetable } = await previewCampaign(made.ctx, second.ref.campaignId);
    expect(timetable.map(({ messages }) => messages)).toEqual([2]);
    await sendCampaign(second.ctx, second.ref.campaignId);
    await freeze(test, second);
    expect(await sendAll(test, second)).toMatchObject({ stage: 'paused', sent: 2, left: 4 });
  });

  it('counts neither another day nor another number, and nothing twice when it is set anew', async () => {
    const made = await running(test, ordinaryPhones(6));
    await sendAll(test, made);
    await rows(
      made,
      `update campaign_recipients set claimed_at = claimed_at - interval '1 day' where id in (
         select id from campaign_recipients order by id limit 2)`,
    );
    const { id: other } = await aNumber(made.ctx);
    const begun = (numberId: string) =>
      rows<{ begun: number }>(made, 'select begun from campaign_days where number_id = $1', [
        numberId,
      ]);

    await setDailyLimit(made.ctx, other, 8);
    await setDailyLimit(made.ctx, made.numberId, 8);
    await setDailyLimit(made.ctx, made.numberId, null);
    await setDailyLimit(made.ctx, made.numberId, 9);

    expect([await begun(made.numberId), await begun(other)]).toEqual([
      [{ begun: 4 }],
      [{ begun: 0 }],
    ]);
  });
});

describe('guards', () => {
  it.each([
    [{ quiet: { from: '21:00', to: '21:00' } }, 'quiet_hours'],
    [{ quiet: { from: '25:00', to: '08:00' } }, 'quiet_hours'],
    [{ cap: { messages: 0, days: 7 } }, 'frequency_cap'],
    [{ cap: { messages: 1, days: 1.5 } }, 'frequency_cap'],
  ])('%j are refused, naming %s', async (wrong, path) => {
    const made = await drafted(test, ordinaryPhones(1));

    await expect(setGuards(made.ctx, wrong)).rejects.toMatchObject({
      code: 'validation',
      details: [expect.objectContaining({ path })],
    });
  });
});
