import { describe, expect, it } from '@jest/globals';
import { freezeAudience } from '../../src/campaigns/audience/freezing.ts';
import { proveCampaign } from '../../src/campaigns/proof/proving.ts';
import { listRecipients } from '../../src/campaigns/reading.ts';
import { updateCampaign } from '../../src/campaigns/service.ts';
import { cancelCampaignByOperator, haltNumber } from '../../src/campaigns/states/by-itself.ts';
import {
  cancelCampaign,
  scheduleCampaign,
  sendCampaign,
  unscheduleCampaign,
} from '../../src/campaigns/states/transitions.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { deleteSegment } from '../../src/segments/service.ts';
import { untilWaiting } from '../support/database.ts';
import { aSegment } from '../support/factories/segments.ts';
import { opened } from '../support/opened.ts';
import { soon } from './support/door.ts';
import { detailOf, drafted, type Made, running } from './support/running.ts';
import { openSendingTest, ordinaryPhones } from './support/sending.ts';

const test = opened(openSendingTest);

const optOut = (made: Made): Promise<unknown> =>
  test.sqlOf(made, (sql) =>
    sql.rows('update contacts set opted_out = true where id = $1', [made.contactIds[0]]),
  );

/** What the campaign, the list of its recipients and its proof each say of it. */
async function storiesOf(made: Made) {
  const { audience, results } = await detailOf(test, made);
  const { campaignId, organizationId } = made.ref;
  return inWorkspace(test.database, organizationId, async (sql) => {
    const ctx = { ...made.ctx, sql, now: new Date() };
    const page = { limit: 1_000, after: null };
    const { data } = await listRecipients(ctx, { campaignId, status: null }, page);
    const { total, eligible, excluded, lines } = await proveCampaign(ctx, campaignId, page);
    return {
      audience,
      results,
      proof: { total, eligible, excluded },
      counted: [results.cancelled, data.length, lines.length],
    };
  });
}

describe('a campaign that is cancelled before everyone is written down', () => {
  it('keeps those who were, in its results, its recipients and its proof, whatever becomes of them', async () => {
    const made = await drafted(test, ordinaryPhones(900));
    await sendCampaign(made.ctx, made.ref.campaignId);
    let pages = 0;
    const onePage = { now: () => new Date(), mayGoOn: () => pages++ < 1 };
    await freezeAudience(test.database, made.ref, onePage);

    await cancelCampaign(made.ctx, made.ref.campaignId);
    const cancelled = await storiesOf(made);
    await optOut(made);

    const { audience, proof, counted } = cancelled;
    expect(audience).toMatchObject({ status: 'frozen', frozen_at: null, ...proof });
    expect([audience.total, ...counted]).toEqual([500, 500, 500, 500]);
    expect(await storiesOf(made)).toEqual(cancelled);
  });

  it('was to nobody if nobody was, and evaluates its segment no more', async () => {
    const made = await drafted(test, ordinaryPhones(3));
    const rules = { field: 'name', op: 'starts_with', value: 'Cliente' } as const;
    const { id: segment_id } = await aSegment(made.ctx, { rules });
    const change = { target: 'segment', segment_id, contact_ids: [] } as const;
    await updateCampaign(made.ctx, made.ref.campaignId, change);
    await scheduleCampaign(made.ctx, made.ref.campaignId, { when: soon() });
    expect((await detailOf(test, made)).audience).toMatchObject({ status: 'estimated', total: 3 });

    await cancelCampaign(made.ctx, made.ref.campaignId);
    const cancelled = await storiesOf(made);
    await optOut(made);
    await deleteSegment(made.ctx, segment_id);

    const { audience, proof, counted } = cancelled;
    expect(audience).toMatchObject({ frozen_at: null, ...proof });
    expect([audience.total, ...counted]).toEqual([0, 0, 0, 0]);
    expect(await storiesOf(made)).toEqual(cancelled);
  });
});

it('a campaign that was made a draft again stays one when an operator cancels the workflow of its schedule', async () => {
  const made = await drafted(test, ordinaryPhones(1));
  await scheduleCampaign(made.ctx, made.ref.campaignId, { when: soon() });
  await unscheduleCampaign(made.ctx, made.ref.campaignId);

  await cancelCampaignByOperator(made.ctx, made.ref.campaignId);

  expect(await detailOf(test, made)).toMatchObject({ status: 'draft' });
});

it('a campaign that is cancelled while its number is taken down stays cancelled', async () => {
  const made = await running(test, ordinaryPhones(1));
  const { campaignId } = made.ref;
  const other = { ...made.ctx, em: made.ctx.em.fork() };

  const { halted } = await transact(made.ctx, async (tx) => {
    await cancelCampaign(tx, campaignId);
    const halted = haltNumber(other, made.numberId, 'disconnected', 190);
    await untilWaiting(test.database.system);
    return { halted };
  });
  await halted;

  expect(await detailOf(test, made)).toMatchObject({ status: 'cancelled' });
});
