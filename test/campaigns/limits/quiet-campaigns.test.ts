import { describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { changeWorkspace, setGuards } from '../../../src/campaigns/limits/guards.ts';
import { haltNumber, pauseByItself } from '../../../src/campaigns/states/by-itself.ts';
import { changeNumber } from '../../../src/campaigns/states/number-changes.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/campaigns/states/transitions.ts';
import type { Gateway } from '../../../src/gateway/port.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { acceptedBy, type Made } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';
import { runningAt, skippedFrom, skipThrough } from '../support/skipping.ts';

const test = opened(openSendingTest);

const WAKES = `select count(*)::int8 as n from facts where type = 'campaign.changed'`;

describe('quiet hours', () => {
  it('keep a campaign sending and say until when it waits; taking them away lets it go on', async () => {
    const time = skippedFrom(test, '2026-11-28T02:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(3));
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });

    const progress = await sendBatch(time.deps, made.ref, untilDone);

    expect(progress).toMatchObject({
      stage: 'sending',
      waitMs: 9 * 3_600_000,
      waitingFor: 'quiet_hours',
    });
    expect(await waiting(made)).toEqual({
      status: 'sending',
      until: '2026-11-28T11:00:00.000Z',
    });
    expect(acceptedBy(test, made)).toEqual([]);

    await setGuards(made.ctx, { quiet: null });
    expect(await waiting(made)).toEqual({ status: 'sending', until: null });
    expect(await skipThrough(time, made)).toMatchObject({ stage: 'done', sent: 3 });
  });

  it('keep back a batch that was due before they began and comes to send after', async () => {
    const time = skippedFrom(test, '2026-11-27T23:59:59.700Z');
    const made = await runningAt(test, time, ordinaryPhones(3));
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });
    const due = [time.now()];
    time.skip(400);
    const clock = { ...time.deps.clock, now: () => due.shift() ?? time.now() };

    await sendBatch({ ...time.deps, clock }, made.ref, untilDone);

    expect(acceptedBy(test, made)).toEqual([]);
    expect(await waiting(made)).toEqual({ status: 'sending', until: '2026-11-28T11:00:00.000Z' });
  });

  it('that begin while a batch is being sent let only what it has claimed go out', async () => {
    const time = skippedFrom(test, '2026-11-28T02:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(400));
    let asked = 0;
    let begun: Promise<unknown> | undefined;
    const gateway: Gateway = {
      ...time.deps.gateway,
      send: async (message) => {
        asked += 1;
        // Nor do those after it go out before: they would make room for more that are claimed.
        if (asked >= 60) {
          begun ??= setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });
          await begun;
        }
        return test.deps.gateway.send(message);
      },
    };

    await sendBatch({ ...time.deps, gateway }, made.ref, untilDone);

    expect(acceptedBy(test, made).length).toBeLessThan(200);
    await sendBatch(time.deps, made.ref, untilDone);
    expect(await waiting(made)).toEqual({ status: 'sending', until: '2026-11-28T11:00:00.000Z' });
  });

  it('are those of the time zone that the workspace moves to, also for a campaign that waits', async () => {
    const time = skippedFrom(test, '2026-11-28T02:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(3));
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });
    await sendBatch(time.deps, made.ref, untilDone);

    await changeWorkspace(made.ctx, { idle_close_hours: 12 });
    expect(await waiting(made)).toMatchObject({ until: '2026-11-28T11:00:00.000Z' });
    await changeWorkspace(made.ctx, { time_zone: 'Asia/Tokyo' });

    expect(await waiting(made)).toEqual({ status: 'sending', until: null });
    expect(await skipThrough(time, made)).toMatchObject({ stage: 'done', sent: 3 });
    expect(time.now().getTime()).toBeLessThan(Date.parse('2026-11-28T11:00:00Z'));
  });

  it('that change wake a campaign that does not wait yet: it may have read the old ones', async () => {
    const time = skippedFrom(test, '2026-11-28T02:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(3));

    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });
    expect(await test.countOf(made, WAKES)).toBe(1);
    await changeWorkspace(made.ctx, { time_zone: 'Asia/Tokyo' });

    expect(await test.countOf(made, WAKES)).toBe(2);
  });

  it.each<[string, (made: Made) => Promise<unknown>]>([
    [
      'the number goes down',
      (made) => changeNumber(made.ctx, made.numberId, { cause: 'logged_out' }),
    ],
    [
      'WhatsApp stops the number',
      (made) => haltNumber(made.ctx, made.numberId, 'suspended', 131031),
    ],
    ['people report it', (made) => pauseByItself(made.ctx, made.ref.campaignId, 'spam_limit')],
  ])('keep no campaign asleep that is paused because %s', async (_, pauses) => {
    const time = skippedFrom(test, '2026-11-28T02:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(3));
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });
    await sendBatch(time.deps, made.ref, untilDone);
    const before = await test.countOf(made, WAKES);

    await pauses(made);
    // What is paused already changes no more.
    await pauses(made);

    expect(await waiting(made)).toEqual({ status: 'paused', until: null });
    expect(await test.countOf(made, WAKES)).toBe(before + 1);
  });

  it('do not outlast a pause', async () => {
    const time = skippedFrom(test, '2026-11-28T02:00:00Z');
    const made = await runningAt(test, time, ordinaryPhones(3));
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '08:00' } });
    await sendBatch(time.deps, made.ref, untilDone);

    await pauseCampaign(made.ctx, made.ref.campaignId);

    expect(await waiting(made)).toEqual({ status: 'paused', until: null });
    time.skip(9 * 3_600_000);
    await resumeCampaign(time.at(made.ctx), made.ref.campaignId);
    expect(await skipThrough(time, made)).toMatchObject({ stage: 'done', sent: 3 });
  });

  async function waiting(made: Made): Promise<{ status: string; until: string | null }> {
    const rows = await rowsOf<{ status: string; waiting_until: Date | null }>(
      made.ctx,
      'select status, waiting_until from campaigns where id = $1',
      [made.ref.campaignId],
    );
    const [row] = rows;
    return { status: row?.status ?? '', until: row?.waiting_until?.toISOString() ?? null };
  }
});
