import { describe, expect, it } from '@jest/globals';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { waitUntil } from '../../../src/campaigns/states/by-itself.ts';
import { cancelCampaign, sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { withSlots } from '../../../src/numbers/pacer.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { opened } from '../../support/opened.ts';
import { aGroupOf } from '../support/groups.ts';
import { detailOf, drafted, freeze, type Made } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';
import { type Skipped, sentTimes, skippedFrom } from '../support/skipping.ts';

const test = opened(openSendingTest);

/** Campaigns on one number with this ceiling, each with the pace that is said (null for none), all begun. */
async function sharing(
  time: Skipped,
  ceiling: number,
  paces: readonly (10 | 60 | null)[],
): Promise<Made[]> {
  const first = await drafted(test, ordinaryPhones(40));
  await inWorkspace(test.database, first.ref.organizationId, (sql) =>
    sql.rows('update numbers set ceiling_per_minute = $1 where id = $2', [ceiling, first.numberId]),
  );
  return Promise.all(
    paces.map(async (pace) => {
      const { id } = await aCampaign(first.ctx, {
        number_id: first.numberId,
        contact_ids: [...first.contactIds],
        pace,
      });
      const made = { ...first, ref: { ...first.ref, campaignId: id } };
      await sendCampaign(time.at(first.ctx), id);
      await freeze(test, made);
      return made;
    }),
  );
}

/** Another campaign on the number of this one, to so many groups; begun. */
async function toGroups(time: Skipped, beside: Made, count: number): Promise<Made> {
  const { ctx, numberId, ref } = beside;
  const groups = await Promise.all(Array.from({ length: count }, () => aGroupOf(ctx, numberId)));
  const { id } = await aCampaign(ctx, {
    number_id: numberId,
    target: 'groups',
    contact_ids: [],
    text: 'Oi!',
    pace: 10,
    group_ids: groups.map((group) => group.id),
  });
  const made = { ...beside, ref: { ...ref, campaignId: id } };
  await sendCampaign(time.at(ctx), id);
  await freeze(test, made);
  return made;
}

/** A turn nearby is waited for in the batch, on a clock that stands still: no longer than this. */
const shortly = { ...untilDone, budgetMs: 2_000 };

/** Each campaign's batches at their times, as their workflows would begin them. */
async function sendTogether(time: Skipped, campaigns: readonly Made[], ms: number): Promise<void> {
  const end = time.now().getTime() + ms;
  const due = campaigns.map((made) => ({ made, at: time.now().getTime() }));
  for (;;) {
    const next = due.toSorted((a, b) => a.at - b.at)[0];
    if (!next || next.at >= end) return;
    time.skip(Math.max(0, next.at - time.now().getTime()));
    const { waitMs } = await sendBatch(time.deps, next.made.ref, shortly);
    next.at = time.now().getTime() + (waitMs || 250);
  }
}

const counts = async (campaigns: readonly Made[]): Promise<number[]> =>
  (await Promise.all(campaigns.map((made) => sentTimes(test, made)))).map(({ length }) => length);

describe('campaigns on one number', () => {
  it('share it evenly, at the pace that each of them shows', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const campaigns = await sharing(time, 20, [null, null]);
    const shown = await Promise.all(campaigns.map((made) => detailOf(test, made)));

    await sendTogether(time, campaigns, 120_000);

    // 80 % of 20 are 16: 8 each, in two minutes 16 each, and one more at the very edge.
    expect(shown.map(({ effective_pace: pace }) => pace)).toEqual([8, 8]);
    for (const sent of await counts(campaigns)) expect([16, 17]).toContain(sent);
  });

  it('leave the share of one that waits to the others', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const [sends, waits] = await sharing(time, 20, [null, null]);
    if (!sends || !waits) throw new TypeError('none was made');

    await waitUntil(
      waits.ctx,
      waits.ref.campaignId,
      new Date('2026-11-28T11:00:00Z'),
      'quiet_hours',
    );

    expect(await detailOf(test, sends)).toMatchObject({ effective_pace: 16 });
  });

  it('share what it may send to groups, at the pace that each of them shows', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const draft = await drafted(test, ordinaryPhones(1));
    const campaigns = [await toGroups(time, draft, 20), await toGroups(time, draft, 20)];
    const shown = await Promise.all(campaigns.map((made) => detailOf(test, made)));

    await sendTogether(time, campaigns, 120_000);

    // 10 a minute: 5 each, in two minutes 10 each, and one more at the very edge.
    expect(shown.map(({ effective_pace: pace }) => pace)).toEqual([5, 5]);
    for (const sent of await counts(campaigns)) expect([10, 11]).toContain(sent);
  });

  it('take no more of its ceiling, however many send to groups, than one of them would', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const [toPeople] = await sharing(time, 40, [null]);
    if (!toPeople) throw new TypeError('no campaign');
    const shown: unknown[] = [];

    for (let n = 0; n < 2; n++) {
      await toGroups(time, toPeople, 1);
      shown.push((await detailOf(test, toPeople)).effective_pace);
    }

    // 80 % of 40 are 32.
    expect(shown).toEqual([22, 22]);
  });

  it.each(['people', 'groups'])(
    'to %s, once they are over, show the same pace whatever is sent beside them later',
    async (whom) => {
      const time = skippedFrom(test, '2026-11-27T15:00:00Z');
      const [first] = await sharing(time, 20, [60]);
      if (!first) throw new TypeError('no campaign');
      const over = whom === 'groups' ? await toGroups(time, first, 1) : first;
      await cancelCampaign(over.ctx, over.ref.campaignId);
      const before = (await detailOf(test, over)).effective_pace;

      await toGroups(time, first, 1);

      expect([before, (await detailOf(test, over)).effective_pace]).toEqual(
        whom === 'groups' ? [10, 10] : [16, 16],
      );
    },
  );

  it('leave a fifth of the number to replies, which never wait for a turn longer than one message takes', async () => {
    const time = skippedFrom(test, '2026-11-27T15:00:00Z');
    const campaigns = await sharing(time, 20, [null, null]);
    const [any] = campaigns;
    if (!any) throw new TypeError('no campaign');
    const waits: number[] = [];

    // Four replies a minute.
    for (let n = 0; n < 4; n++) {
      await sendTogether(time, campaigns, 15_000);
      const { slots } = await inWorkspace(test.database, any.ref.organizationId, (sql) =>
        withSlots(
          sql,
          {
            organizationId: any.ref.organizationId,
            numberId: any.numberId,
            ceilingPerMinute: 20,
            lanes: [],
            clock: time.deps.clock,
          },
          1,
          async ({ count }) => ({ used: count, result: null }),
        ),
      );
      waits.push(slots.firstInMs);
    }

    expect(Math.max(...waits)).toBeLessThanOrEqual(3_000);
    const sent = await counts(campaigns);
    expect(sent.every((count) => count >= 7)).toBe(true);
  });
});
