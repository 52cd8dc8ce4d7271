import { describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../../src/campaigns/audience/previewing.ts';
import { setDailyLimit } from '../../../src/campaigns/limits/daily-limit.ts';
import { setGuards } from '../../../src/campaigns/limits/guards.ts';
import { warmUpCap } from '../../../src/campaigns/limits/warm-up.ts';
import { resumeCampaign, sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { aNumber } from '../../support/factories/numbers.ts';
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

describe('a daily limit', () => {
  it('pauses no campaign whose last person is the last of the day: it is done', async () => {
    const made = await running(test, ordinaryPhones(4));
    await setDailyLimit(made.ctx, made.numberId, 4);

    expect(await sendAll(test, made)).toMatchObject({ stage: 'done', sent: 4 });
  });
});

it.each([0, 1.5, 1_000_001])('a daily limit of %d is refused', async (limit) => {
  const made = await drafted(test, ordinaryPhones(1));

  await expect(setDailyLimit(made.ctx, made.numberId, limit)).rejects.toMatchObject({
    details: [{ path: 'daily_limit', rule: 'range' }],
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
    [{ cap: { messages: 1_001, days: 7 } }, 'frequency_cap'],
    [{ cap: { messages: 1, days: 366 } }, 'frequency_cap'],
  ])('%j are refused, naming %s', async (wrong, path) => {
    const made = await drafted(test, ordinaryPhones(1));

    await expect(setGuards(made.ctx, wrong)).rejects.toMatchObject({
      code: 'validation',
      details: [expect.objectContaining({ path })],
    });
  });

  it('allow a thousand messages in a year at most', async () => {
    const made = await drafted(test, ordinaryPhones(1));
    const cap = { messages: 1_000, days: 365 };

    expect(await setGuards(made.ctx, { cap })).toMatchObject({ cap });
  });
});
