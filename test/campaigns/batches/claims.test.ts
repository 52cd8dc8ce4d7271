import { expect, it } from '@jest/globals';
import { claim, PLANNED_ONCE } from '../../../src/campaigns/batches/claims.ts';
import { claimGroups } from '../../../src/campaigns/batches/group-claims.ts';
import { giveUpStale } from '../../../src/campaigns/batches/settling.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { holdNumber } from '../../../src/numbers/pacer.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { opened } from '../../support/opened.ts';
import { aGroupOf } from '../support/groups.ts';
import { drafted, freeze, running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones } from '../support/sending.ts';

const test = opened(openSendingTest);

it('nobody is claimed while WhatsApp holds the number back, though the batch began before that', async () => {
  const { ref, numberId } = await running(test, ordinaryPhones(2));
  const { organizationId } = ref;
  const request = { ...ref, numberId, window24h: false, limitsRevision: 0, token: 'mine' };

  const claimed = await inWorkspace(
    test.database,
    organizationId,
    async (sql) => {
      const claimSome = async (): Promise<number> =>
        (await claim(sql, { ...request, limit: 10, now: new Date() })).claimed.length;
      await holdNumber(sql, { organizationId, numberId }, { retryAfterMs: 60_000, slows: false });
      const held = await claimSome();
      await sql.rows('update pacers set held_until = now() where number_id = $1', [numberId]);
      return [held, await claimSome()];
    },
    PLANNED_ONCE,
  );

  expect(claimed).toEqual([0, 2]);
});

it('a group that was turned away is claimed again no sooner than its next try', async () => {
  const { ctx, numberId, ref } = await drafted(test, ordinaryPhones(1));
  const group = await aGroupOf(ctx, numberId);
  const { id: campaignId } = await aCampaign(ctx, {
    number_id: numberId,
    target: 'groups',
    contact_ids: [],
    group_ids: [group.id],
    text: 'Oi!',
    pace: 10,
  });
  const { organizationId } = ref;
  await sendCampaign(ctx, campaignId);
  await freeze(test, { ref: { organizationId, campaignId } });
  const request = { ...ref, campaignId, numberId, window24h: false, limitsRevision: 0 };

  const claimed = await inWorkspace(test.database, organizationId, async (sql) => {
    const claimAt = async (notBefore: string): Promise<number> => {
      await sql.rows(`update campaign_recipients set not_before = ${notBefore}`);
      const found = { ...request, token: 'mine', limit: 10, now: new Date() };
      return (await claimGroups(sql, found)).claimed.length;
    };
    return [await claimAt("now() + interval '1 minute'"), await claimAt('now()')];
  });

  expect(claimed).toEqual([0, 1]);
});

it('what a living process has claimed is not given up', async () => {
  const made = await running(test, ordinaryPhones(1));
  const { ref, numberId } = made;
  const statusAfter = (seconds: number): Promise<unknown> =>
    inWorkspace(test.database, ref.organizationId, async (sql) => {
      await sql.rows(
        `update campaign_recipients set status = 'sending', message_id = 'msg_' || message_key,
           claimed_at = now() - make_interval(secs => $1)`,
        [seconds],
      );
      await giveUpStale(sql, { ...ref, numberId }, new Date());
      const [row] = await sql.rows<{ status: string }>('select status from campaign_recipients');
      return row?.status;
    });

  expect([await statusAfter(5), await statusAfter(60)]).toEqual(['sending', 'unconfirmed']);
});
