import { describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../src/campaigns/audience/previewing.ts';
import { sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import {
  acceptedBy,
  another,
  detailOf,
  drafted,
  freeze,
  type Made,
  sendAll,
} from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

const change = (made: Made, text: string, params: unknown[] = []) => rowsOf(made.ctx, text, params);

/** Thirty people at 600 a minute, of whom four get nothing. */
async function planned(by: 'a list' | 'a segment'): Promise<Made> {
  const made = await drafted(test, ordinaryPhones(34), {
    campaign: { text: 'Oi {{first_name}} {{custom.n}}', pace: 600 },
  });
  await change(made, `update contacts set custom = jsonb_build_object('n', right(phone, 2))`);
  const [optedOut, blocked, noPhone, noNumber] = made.contactIds;
  await change(made, 'update contacts set opted_out = true where id = $1', [optedOut]);
  await change(made, 'update contacts set blocked = true where id = $1', [blocked]);
  await change(made, 'update contacts set phone = null, phone_key = null where id = $1', [noPhone]);
  await change(made, `update contacts set custom = '{}' where id = $1`, [noNumber]);
  if (by === 'a segment') {
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const { id } = await aSegment(made.ctx, { rules });
    await change(
      made,
      `update campaigns set target = 'segment', segment_id = $1, contact_ids = '{}'`,
      [id],
    );
  }
  return made;
}

describe('the preview of a campaign', () => {
  it.each(['a list', 'a segment'] as const)(
    'to %s says what then happens: who, who not and why, the texts, and when it ends',
    async (by) => {
      const made = await planned(by);
      const preview = await previewCampaign(made.ctx, made.ref.campaignId);

      await sendCampaign(made.ctx, made.ref.campaignId);
      await freeze(test, made);
      const beganAt = Date.now();
      await sendAll(test, made);

      const { audience } = await detailOf(test, made);
      expect(preview.audience).toEqual({
        total: audience.total,
        eligible: audience.eligible,
        excluded: audience.excluded,
      });
      const accepted = acceptedBy(test, made);
      // In the order of their phones: on a busy machine several are under way, and one overtakes another.
      const first = accepted.slice(0, 20).toSorted((a, b) => Number(a.to) - Number(b.to));
      expect(preview.recipients.map(({ phone, text }) => ({ phone, text }))).toEqual(
        first.slice(0, 10).map(({ to, text }) => ({ phone: `+${to}`, text })),
      );
      expect(preview.left_out.map(({ contact_id, reason }) => [contact_id, reason])).toEqual([
        [made.contactIds[0], 'opted_out'],
        [made.contactIds[1], 'blocked'],
        [made.contactIds[2], 'no_phone'],
        [made.contactIds[3], 'missing_variable'],
      ]);
      const foreseenMs =
        Date.parse(preview.estimated_finish_at ?? '') - Date.parse(preview.starts_at);
      const tookMs = (accepted.at(-1)?.t ?? 0) - beganAt;
      expect(foreseenMs).toBe(2_900);
      expect(tookMs).toBeGreaterThanOrEqual(foreseenMs - 200);
      expect(tookMs).toBeLessThan(foreseenMs + 60_000);
    },
  );

  it('says that it would stop at once while the number cannot send, unless it starts later', async () => {
    const made = await planned('a list');
    const { id, ctx } = { id: made.ref.campaignId, ctx: made.ctx };
    await change(made, "update numbers set status = 'disconnected'");

    const now = await previewCampaign(ctx, id);
    const tomorrow = new Date(ctx.now.getTime() + 86_400_000);
    await change(made, 'update campaigns set send_at = $1', [tomorrow]);
    const later = await previewCampaign(ctx, id);

    const pauses = { reason: 'number_unavailable', at: now.starts_at, left: 30 };
    expect(now).toMatchObject({ pauses, timetable: [], estimated_finish_at: null });
    expect(later).toMatchObject({ pauses: null, timetable: [{ messages: 30 }] });
  });

  it.each([
    ['a list', 'pauses', 2_967],
    ['a list', 'goes through', 2_966],
    ['a segment', 'pauses', 2_971],
    ['a segment', 'goes through', 2_970],
  ] as const)('to %s says that it %s when the plan’s month has had %d', async (by, what, used) => {
    const made = await planned(by);
    const { id, ctx } = { id: made.ref.campaignId, ctx: made.ctx };
    await setPlan(ctx, 'essencial');
    const { ref: earlier } = await another(made, made.contactIds);
    await change(
      made,
      `update campaigns set status = 'done', total = $2, started_at = now(), frozen_at = now() where id = $1`,
      [earlier.campaignId, used],
    );

    const { pauses, starts_at } = await previewCampaign(ctx, id);
    const refusal = await sendCampaign({ ...ctx, now: new Date() }, id).then(
      () => null,
      ({ code }) => code,
    );

    expect(pauses).toEqual(refusal && { reason: 'quota', at: starts_at, left: 30 });
    expect(refusal).toBe(what === 'pauses' ? 'quota' : null);
  });

  it('says so of a later month only if that one has no room', async () => {
    const made = await planned('a list');
    await setPlan(made.ctx, 'essencial');
    const { ref: earlier } = await another(made, made.contactIds);
    await change(
      made,
      `update campaigns set status = 'done', total = 3000, started_at = now(), frozen_at = now() where id = $1`,
      [earlier.campaignId],
    );
    await change(made, "update campaigns set send_at = now() + interval '32 days' where id = $1", [
      made.ref.campaignId,
    ]);

    const preview = await previewCampaign(made.ctx, made.ref.campaignId);

    expect(preview).toMatchObject({ pauses: null, timetable: [{ messages: 30 }] });
  });

  it('changes nothing and sends nothing', async () => {
    const made = await planned('a list');
    const before = await detailOf(test, made);

    await previewCampaign(made.ctx, made.ref.campaignId);

    expect({ ...(await detailOf(test, made)) }).toEqual(before);
    expect(acceptedBy(test, made)).toEqual([]);
  });
});
