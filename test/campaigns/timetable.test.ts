import { describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../src/campaigns/audience/previewing.ts';
import { setDailyLimit } from '../../src/campaigns/limits/daily-limit.ts';
import { setGuards } from '../../src/campaigns/limits/guards.ts';
import { listCampaigns, readCampaign, viewCampaign } from '../../src/campaigns/reading.ts';
import type { PreviewView } from '../../src/campaigns/schema.ts';
import { updateCampaign } from '../../src/campaigns/service.ts';
import { scheduleCampaign } from '../../src/campaigns/states/transitions.ts';
import { optOutByMember } from '../../src/contacts/opt-outs/opting-out.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { another, detailOf, drafted, type Made } from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';
import {
  begin,
  pair,
  type Skipped,
  sentTimes,
  skippedFrom,
  skipThrough,
} from './support/skipping.ts';

const test = opened(openSendingTest);

/** Every second in which a message is foreseen. */
const foreseen = ({ timetable }: PreviewView): string[] =>
  timetable.flatMap(({ from, messages }) =>
    Array.from({ length: messages }, (_, n) => second(Date.parse(from) + n * 6_000)),
  );

/** Slots are taken up to an eighth of a second ahead. */
const second = (ms: number): string =>
  new Date(Math.round((ms + 60) / 1_000) * 1_000).toISOString();

/** When the campaign says that it will be over: read by itself, in its list, and as a change is answered. */
const ends = ({ ctx, ref }: Made, time: Skipped): Promise<(string | null)[]> =>
  inWorkspace(test.database, ref.organizationId, async (sql) => {
    const at = { ...time.at(ctx), sql };
    const { data } = await listCampaigns(at, {}, { limit: 1, after: null });
    const views = [await readCampaign(at, ref.campaignId), ...data];
    return [...views, await viewCampaign(at, ref.campaignId)].map(
      (view) => view.estimated_finish_at,
    );
  });

async function sendAsForeseen(time: Skipped, made: Made): Promise<PreviewView> {
  const preview = await previewCampaign(time.at(made.ctx), made.ref.campaignId);
  const end = preview.estimated_finish_at;
  await begin(test, time, made);
  expect(await ends(made, time)).toEqual([end, end, end]);
  await skipThrough(time, made, ({ waitMs }) => waitMs > 60_000);
  if (end) expect(await ends(made, time)).toEqual([end, end, end]);
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

  it('agrees with the run where quiet hours end in an hour that comes twice', async () => {
    const time = skippedFrom(test, '2027-11-07T00:58:57Z');
    const made = await drafted(test, ordinaryPhones(20), { campaign: { pace: 10 } });
    await test.sqlOf(made, (sql) =>
      sql.rows(`update workspaces set time_zone = 'America/New_York'`),
    );
    await setGuards(made.ctx, { quiet: { from: '21:00', to: '01:30' } });

    const { timetable } = await sendAsForeseen(time, made);

    // Half past one comes at half past five in Greenwich, and again an hour later.
    expect(timetable[1]).toMatchObject({ after: 'quiet_hours', from: '2027-11-07T06:30:00.000Z' });
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

  it('meets nobody for the first time who opted out while it was being sent', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(25), {
      campaign: { pace: 10 },
      number: { accessToken: 'of a phone' },
    });
    await pair(test, made);
    await begin(test, time, made);
    for (const id of made.contactIds.slice(5, 10)) await optOutByMember(time.at(made.ctx), id);

    // Those left are as many as a number may meet on its first day.
    const end = '2026-11-27T15:01:54.000Z';
    expect(await ends(made, time)).toEqual([end, end, end]);
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

  it.each(['a list', 'a segment'])(
    'agrees with the campaign once it is scheduled, to %s',
    async (by) => {
      const time = skippedFrom(test, '2026-11-27T15:00:00Z');
      const made = await drafted(test, ordinaryPhones(25), {
        campaign: { pace: 10 },
        number: { accessToken: 'of a phone' },
      });
      await pair(test, made);
      if (by === 'a segment') {
        const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
        const { id: segment_id } = await aSegment(made.ctx, { rules });
        const change = { target: 'segment', segment_id } as const;
        await updateCampaign(time.at(made.ctx), made.ref.campaignId, change);
      }
      const when = '2026-11-27T16:00:00Z';
      await scheduleCampaign(time.at(made.ctx), made.ref.campaignId, { when });

      const preview = await previewCampaign(time.at(made.ctx), made.ref.campaignId);

      expect(preview.estimated_finish_at).toBe('2026-11-28T03:00:24.000Z');
      // Whom rules would meet for the first time is not counted for a list.
      const unread = by === 'a list' ? preview.estimated_finish_at : null;
      expect(await ends(made, time)).toEqual([preview.estimated_finish_at, unread, unread]);
    },
  );

  it('ends before its time for no campaign that would reach nobody', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(3), { campaign: { pace: 10 } });
    const { id: segment_id } = await aSegment(made.ctx);
    const change = { target: 'segment', segment_id } as const;
    await updateCampaign(time.at(made.ctx), made.ref.campaignId, change);
    const when = '2026-11-27T16:00:00.000Z';

    await scheduleCampaign(time.at(made.ctx), made.ref.campaignId, { when });

    expect(await ends(made, time)).toEqual([when, when, when]);
  });

  it('says no end for a campaign without a pace that would reach nobody', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(3), { campaign: { pace: null } });
    const { id: segment_id } = await aSegment(made.ctx);
    const change = { target: 'segment', segment_id } as const;
    await updateCampaign(time.at(made.ctx), made.ref.campaignId, change);

    await scheduleCampaign(time.at(made.ctx), made.ref.campaignId, {
      when: '2026-11-27T16:00:00.000Z',
    });

    expect(await ends(made, time)).toEqual([null, null, null]);
  });

  it('says no end for a list of campaigns where nobody has counted whom they would reach', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const made = await drafted(test, ordinaryPhones(3), { campaign: { pace: 10 } });
    const { id: pipeline_id } = await aPipeline(made.ctx);
    const change = { target: 'pipeline', pipeline_id, stage_ids: [] } as const;
    await updateCampaign(time.at(made.ctx), made.ref.campaignId, change);
    const when = '2026-11-27T16:00:00.000Z';

    await scheduleCampaign(time.at(made.ctx), made.ref.campaignId, { when });

    expect(await ends(made, time)).toEqual([when, null, null]);
  });

  it('asks the database for a page of campaigns as often as for one', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const first = await drafted(test, ordinaryPhones(3), { number: { accessToken: 'of a phone' } });
    await pair(test, first);
    const schedule = ({ ref }: Made): Promise<unknown> =>
      scheduleCampaign(time.at(first.ctx), ref.campaignId, { when: '2026-11-27T16:00:00Z' });
    const listed = () =>
      inWorkspace(test.database, first.ref.organizationId, async (sql) => {
        let asked = 0;
        const rows: typeof sql.rows = (...query) => {
          asked += 1;
          return sql.rows(...query);
        };
        const at = { ...time.at(first.ctx), sql: { rows } };
        const { data } = await listCampaigns(at, {}, { limit: 10, after: null });
        return { asked, ends: data.filter((view) => view.estimated_finish_at !== null).length };
      });
    await schedule(first);
    const { asked, ends: known } = await listed();

    for (const contacts of [first.contactIds, first.contactIds.slice(1)])
      await schedule(await another(first, contacts));

    expect(known).toBe(1);
    expect(await listed()).toEqual({ asked, ends: 3 });
  });
});
