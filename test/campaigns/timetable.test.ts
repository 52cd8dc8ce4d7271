import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../src/campaigns/audience/previewing.ts';
import { setDailyLimit } from '../../src/campaigns/limits/daily-limit.ts';
import { setGuards } from '../../src/campaigns/limits/guards.ts';
import type { PreviewView } from '../../src/campaigns/schema.ts';
import { detailOf, drafted, type Made } from './support/running.ts';
import { openSendingTest, ordinaryPhones, type SendingTest } from './support/sending.ts';
import {
  begin,
  pair,
  type Skipped,
  sentTimes,
  skippedFrom,
  skipThrough,
} from './support/skipping.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());

/** Every second in which a message is foreseen. */
const foreseen = ({ timetable }: PreviewView): string[] =>
  timetable.flatMap(({ from, messages }) =>
    Array.from({ length: messages }, (_, n) => second(Date.parse(from) + n * 6_000)),
  );

/** Slots are taken up to an eighth of a second ahead. */
const second = (ms: number): string =>
  new Date(Math.round((ms + 60) / 1_000) * 1_000).toISOString();

async function sendAsForeseen(time: Skipped, made: Made): Promise<PreviewView> {
  const preview = await previewCampaign(time.at(made.ctx), made.ref.campaignId);
  await begin(test, time, made);
  await skipThrough(time, made);
  const times = await sentTimes(test, made);
  expect(times.map((at) => second(at.getTime()))).toEqual(foreseen(preview));
  return preview;
}

describe('the preview of a campaign, second by second', () => {
  it('agrees with the run through quiet hours', async () => {
    const time = skippedFrom(test, '2026-11-27T23:58:57Z');
    const made = await drafted(test, ordinaryPhones(20), { campaign: { pace: 10 } });
    // 21:00 in São Paulo is midnight in Greenwich.
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });

    const preview = await sendAsForeseen(time, made);

    expect(preview.timetable.map(({ messages, after }) => [messages, after])).toEqual([
      [11, null],
      [9, 'quiet_hours'],
    ]);
    expect(preview.timetable[1]?.from).toBe('2026-11-28T11:00:00.000Z');
    const { started_at: startedAt, status } = await detailOf(test, made);
    expect([startedAt, status]).toEqual(['2026-11-27T23:58:57.000Z', 'done']);
  });

  it('agrees with the run through the warm-up of a paired number, over three days', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(52), {
      campaign: { pace: 10 },
      number: { accessToken: 'of a phone' },
    });
    await pair(test, made);

    const preview = await sendAsForeseen(time, made);

    expect(preview.timetable).toMatchObject([
      { messages: 20, after: null },
      { messages: 28, after: 'warm_up', from: '2026-11-28T03:00:00.000Z' },
      { messages: 4, after: 'warm_up', from: '2026-11-29T03:00:00.000Z' },
    ]);
  });

  it('agrees with the run on where the limit of the day stops it', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(9), { campaign: { pace: 10 } });
    await setDailyLimit(made.ctx, made.numberId, 5);

    const preview = await sendAsForeseen(time, made);

    expect(preview.pauses).toEqual({
      reason: 'daily_limit',
      at: '2026-11-27T15:00:30.000Z',
      left: 4,
    });
    expect(preview.estimated_finish_at).toBeNull();
    expect(await detailOf(test, made)).toMatchObject({
      status: 'paused',
      pause_reason: 'daily_limit',
      results: { sent: 5, pending: 4 },
    });
  });
});
