import { describe, expect, it } from '@jest/globals';
import { claimGroups } from '../../../src/campaigns/batches/group-claims.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import type { ReportedStatus } from '../../../src/conversations/rules.ts';
import { ROW_BY_ROW } from '../../../src/db/database.ts';
import { applyToMessages } from '../../../src/inbound/updates/reports.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { opened } from '../../support/opened.ts';
import { aGroupOf } from '../support/groups.ts';
import { detailOf, drafted, freeze, type Made, running } from '../support/running.ts';
import { openSendingTest, ordinaryPhones, untilDone } from '../support/sending.ts';

/** WhatsApp turns it away for now each time, with an error of its own. */
const UNAVAILABLE = '+5511980131016';

const test = opened(openSendingTest);

const triesOf = ({ phoneNumberId }: Made) =>
  test.simulator.ledger().filter((entry) => entry.phone_number_id === phoneNumberId);

/** As the inbound lane does. */
const reported = (made: Made, status: ReportedStatus) =>
  test.sqlOf(made, async (sql) => {
    await sql.rows(ROW_BY_ROW);
    const about = { ...made.ref, numberId: made.numberId, now: new Date() };
    const sent = await sql.rows<{ id: string }>('select id from messages where campaign_id = $1', [
      made.ref.campaignId,
    ]);
    const reports = sent.map(({ id }) => ({
      correlation: id,
      providerId: `wamid.${id}`,
      status,
      at: new Date(),
      error: null,
    }));
    return applyToMessages(sql, about, reports);
  });

/** The next try is due at once. */
const dueNow = (made: Made) =>
  test.sqlOf(made, (sql) =>
    sql.rows('update campaign_recipients set not_before = null where campaign_id = $1', [
      made.ref.campaignId,
    ]),
  );

const rowsOf = (made: Made, text: string) =>
  test.sqlOf(made, (sql) => sql.rows<Record<string, unknown>>(text));

describe('a recipient waiting for another try', () => {
  it.each(['sent', 'delivered', 'read'] as const)(
    'whose message WhatsApp reports as %s is not sent to again',
    async (status) => {
      const made = await running(test, [UNAVAILABLE]);
      await sendBatch(test.deps, made.ref, untilDone);
      expect((await detailOf(test, made)).results).toMatchObject({ pending: 1 });

      await reported(made, status);
      await dueNow(made);
      const progress = await sendBatch(test.deps, made.ref, untilDone);

      expect(progress).toMatchObject({ stage: 'done', sent: 1, lost: 0 });
      expect(triesOf(made)).toHaveLength(1);
      expect((await detailOf(test, made)).results).toMatchObject({ [status]: 1 });
      // Caps count whom a campaign reached by when they were sent to.
      expect(
        await rowsOf(
          made,
          `select m.status, r.claimed_at is not null as claimed, r.settled_at is not null as settled
           from messages m join campaign_recipients r on r.message_id = m.id`,
        ),
      ).toEqual([{ status, claimed: true, settled: true }]);
    },
  );

  it('is tried again when WhatsApp reports the try as failed', async () => {
    const made = await running(test, [UNAVAILABLE]);
    await sendBatch(test.deps, made.ref, untilDone);

    await reported(made, 'failed');
    await dueNow(made);
    await sendBatch(test.deps, made.ref, untilDone);

    expect(triesOf(made)).toHaveLength(2);
    expect((await detailOf(test, made)).results).toMatchObject({ pending: 1, failed: 0 });
    expect(await rowsOf(made, 'select status from messages')).toEqual([{ status: 'queued' }]);
  });
});

describe('a message to a group', () => {
  it('that was delivered is never under way again', async () => {
    const made = await drafted(test, ordinaryPhones(1));
    const group = await aGroupOf(made.ctx, made.numberId);
    const { id: campaignId } = await aCampaign(made.ctx, {
      number_id: made.numberId,
      target: 'groups',
      contact_ids: [],
      group_ids: [group.id],
      text: 'Oi {{name}}!',
      pace: 10,
    });
    const toGroup = { ...made, ref: { ...made.ref, campaignId } };
    await sendCampaign(made.ctx, campaignId);
    await freeze(test, toGroup);
    const refusing = test.through({
      ...test.deps.gateway,
      send: async () => ({
        kind: 'throttled',
        scope: 'recipient',
        reason: 'provider_error',
        retryAfterMs: 1_000,
        providerCode: 131016,
      }),
    });
    await sendBatch(refusing, toGroup.ref, untilDone);
    await reported(toGroup, 'delivered');
    // As it was left behind before reports reached recipients that wait.
    await rowsOf(toGroup, `update campaign_recipients set status = 'pending'`);

    await test.sqlOf(toGroup, (sql) =>
      claimGroups(sql, {
        ...toGroup.ref,
        numberId: made.numberId,
        window24h: false,
        limitsRevision: 0,
        token: 'another',
        limit: 1,
        now: new Date(),
      }),
    );

    expect(await rowsOf(toGroup, 'select status from messages')).toEqual([{ status: 'delivered' }]);
  });
});
