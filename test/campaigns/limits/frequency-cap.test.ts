import { describe, expect, it } from '@jest/globals';
import { setGuards } from '../../../src/campaigns/limits/guards.ts';
import { retryCampaign } from '../../../src/campaigns/states/retrying.ts';
import { pauseCampaign, sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { aSegment } from '../../support/factories/segments.ts';
import { opened } from '../../support/opened.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { another, detailOf, drafted, freeze, type Made, sendAll } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

const rows = <R>(made: Made, text: string, params: unknown[] = []) =>
  rowsOf<R>(made.ctx, text, params);

async function begin(campaign: Made): Promise<void> {
  await sendCampaign(campaign.ctx, campaign.ref.campaignId);
  await freeze(test, campaign);
}

async function sent(campaign: Made) {
  await begin(campaign);
  await sendAll(test, campaign);
  return detailOf(test, campaign);
}

describe('the frequency cap', () => {
  it('leaves out whoever had that many campaigns lately, and says so before and after', async () => {
    const made = await drafted(test, ordinaryPhones(5));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const [a, b, c, d] = made.contactIds;
    const earlier = await another(
      made,
      [a, b, c].flatMap((id) => id ?? []),
    );
    await sent(earlier);
    await rows(
      made,
      `update campaign_recipients set claimed_at = now() - interval '8 days' where contact_id = $1`,
      [b],
    );
    await rows(made, `update campaign_recipients set status = 'failed' where contact_id = $1`, [c]);
    // About to get another one, which is under way.
    const begun = await another(made, [d ?? '']);
    await begin(begun);

    const { audience: before } = await detailOf(test, made);
    const { audience, results } = await sent(made);

    expect(audience.excluded).toMatchObject({ frequency_cap: 2, duplicate: 0 });
    expect(before.excluded).toEqual(audience.excluded);
    expect(results.sent).toBe(3);
  });

  it('does not count what may not have arrived against its retry, or against the retry of that', async () => {
    const made = await drafted(test, ordinaryPhones(3));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const [lost, arrived, failed] = made.contactIds;
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

  it.each(['sent', 'delivered', 'read', 'unconfirmed'])(
    'counts whom a campaign has reached, or may have: %s',
    async (status) => {
      const made = await drafted(test, ordinaryPhones(1));
      await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
      const earlier = await another(made, made.contactIds);
      await sent(earlier);
      await rows(made, 'update campaign_recipients set status = $1', [status]);

      const { audience } = await detailOf(test, made);
      expect(audience).toMatchObject({ eligible: 0, excluded: { frequency_cap: 1 } });
    },
  );

  it('counts whom another campaign is being sent to at this moment, and nobody who waits in a paused one', async () => {
    const made = await drafted(test, ordinaryPhones(3));
    await setGuards(made.ctx, { cap: { messages: 1, days: 7 } });
    const other = await another(made, made.contactIds.slice(0, 2));
    await begin(other);
    await rows(
      made,
      `update campaign_recipients set status = 'sending', claimed_at = now() where contact_id = $1`,
      [made.contactIds[0]],
    );
    await pauseCampaign(other.ctx, other.ref.campaignId);

    const { audience: before } = await detailOf(test, made);
    await begin(made);

    const { audience } = await detailOf(test, made);
    expect(audience).toMatchObject({ eligible: 2, excluded: { frequency_cap: 1 } });
    expect(before.excluded).toEqual(audience.excluded);
  });

  it('is the same for rules, counted at once and frozen by spans', async () => {
    const made = await drafted(test, ordinaryPhones(4));
    await setGuards(made.ctx, { cap: { messages: 2, days: 7 } });
    await sent(await another(made, made.contactIds.slice(0, 3)));
    await sent(await another(made, made.contactIds.slice(0, 2)));
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const { id } = await aSegment(made.ctx, { rules });
    await rows(
      made,
      `update campaigns set target = 'segment', segment_id = $1, contact_ids = '{}' where id = $2`,
      [id, made.ref.campaignId],
    );

    const { audience: before } = await detailOf(test, made);
    await begin(made);

    const { audience } = await detailOf(test, made);
    expect(audience.excluded).toMatchObject({ frequency_cap: 2 });
    expect(before.excluded).toEqual(audience.excluded);
  });
});
