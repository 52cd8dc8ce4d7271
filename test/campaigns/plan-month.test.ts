import { describe, expect, it } from '@jest/globals';
import { previewCampaign } from '../../src/campaigns/audience/previewing.ts';
import { advance } from '../../src/campaigns/batches/progress.ts';
import { resumeCampaign, sendCampaign } from '../../src/campaigns/states/transitions.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aGroupOf } from './support/groups.ts';
import { another, detailOf, drafted, type Made } from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

interface Month {
  readonly people: number;
  /** By an earlier campaign, of the 3,000 that the plan allows. */
  readonly used: number;
  readonly since?: Date;
}

/** A draft in a workspace whose plan's month has been used. */
async function inMonth({ people, used, since = new Date() }: Month): Promise<Made> {
  const made = await drafted(test, ordinaryPhones(people));
  await setPlan(made.ctx, 'essencial');
  const { ref } = await another(made, made.contactIds);
  await rowsOf(
    made.ctx,
    `update campaigns set status = 'done', total = $2, started_at = $3, frozen_at = $3 where id = $1`,
    [ref.campaignId, used, since],
  );
  return made;
}

const refusedAt = (used: number) => ({ code: 'quota', details: { limit: 3_000, used } });

describe('the recipients of the plan’s month', () => {
  it('are taken by groups as by people, before anybody is written down', async () => {
    const made = await inMonth({ people: 1, used: 2_998 });
    const { ctx, numberId, ref } = made;
    const groups: string[] = [];
    for (let n = 0; n < 3; n += 1) groups.push((await aGroupOf(ctx, numberId)).id);
    const toGroups = async (count: number): Promise<string> => {
      const whom = {
        target: 'groups',
        contact_ids: [],
        group_ids: groups.slice(0, count),
      } as const;
      return (await aCampaign(ctx, { number_id: numberId, ...whom, text: 'Oi', pace: 10 })).id;
    };
    const three = await toGroups(3);
    const two = await toGroups(2);

    await expect(sendCampaign(ctx, three)).rejects.toMatchObject(refusedAt(2_998));
    await sendCampaign(ctx, two);
    await expect(sendCampaign(ctx, ref.campaignId)).rejects.toMatchObject(refusedAt(3_000));
  });

  it('are those since the first of the month where the workspace is', async () => {
    const evening = new Date('2031-12-01T02:00:00Z');
    const { ctx, ref } = await inMonth({ people: 1, used: 3_000, since: evening });
    const pausesAt = async (now: string) =>
      (await previewCampaign({ ...ctx, now: new Date(now) }, ref.campaignId)).pauses?.reason;

    // In São Paulo December begins at three.
    expect(await pausesAt('2031-12-01T02:59:00Z')).toBe('quota');
    expect(await pausesAt('2031-12-01T03:01:00Z')).toBeUndefined();
  });

  it('are taken by a campaign that missed its time when somebody resumes it', async () => {
    const { ctx, ref } = await inMonth({ people: 2, used: 2_999 });
    await rowsOf(
      ctx,
      "update campaigns set status = 'paused', pause_reason = 'missed_schedule' where id = $1",
      [ref.campaignId],
    );

    await expect(resumeCampaign(ctx, ref.campaignId)).rejects.toMatchObject(refusedAt(2_999));
    await setPlan(ctx, 'profissional');
    expect(await resumeCampaign(ctx, ref.campaignId)).toMatchObject({ status: 'sending' });
  });

  it('pause a campaign at its time where too few are left', async () => {
    const made = await inMonth({ people: 2, used: 2_999 });
    await rowsOf(
      made.ctx,
      "update campaigns set status = 'scheduled', send_at = now() - interval '1 minute' where id = $1",
      [made.ref.campaignId],
    );

    expect(await advance(test.deps, made.ref)).toMatchObject({ stage: 'paused' });
    expect(await detailOf(test, made)).toMatchObject({ pause_reason: 'quota', started_at: null });
  });
});
