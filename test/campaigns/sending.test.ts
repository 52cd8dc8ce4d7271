import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freezeAudience } from '../../src/campaigns/freezing.ts';
import { readCampaign } from '../../src/campaigns/reading.ts';
import type { CampaignProgress } from '../../src/campaigns/rules.ts';
import { sendBatch } from '../../src/campaigns/sending.ts';
import { sendCampaign } from '../../src/campaigns/transitions.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import {
  contactsWith,
  openSendingTest,
  ordinaryPhones,
  type SendingTest,
  untilDone,
} from './support/sending.ts';

let test: SendingTest;
beforeAll(async () => {
  test = await openSendingTest();
});
afterAll(() => test.close());
beforeEach(() => test.faults({}));

interface Running {
  readonly ctx: Context;
  readonly ref: { organizationId: string; campaignId: string };
  readonly numberId: string;
  readonly phoneNumberId: string;
}

/** A campaign that was sent and whose audience is frozen: the next thing is a batch. */
async function running(phones: readonly string[]): Promise<Running> {
  const { ctx, workspaceId } = await aWorkspace(test.database);
  const number = await aNumber(ctx);
  const campaign = await aCampaign(ctx, {
    number_id: number.id,
    contact_ids: await contactsWith(ctx, phones),
  });
  await sendCampaign(ctx, campaign.id);
  const ref = { organizationId: workspaceId, campaignId: campaign.id };
  const control = { now: () => new Date(), mayGoOn: () => true };
  await freezeAudience(test.database, ref, control);
  return { ctx, ref, numberId: number.id, phoneNumberId: number.phoneNumberId ?? '' };
}

const detail = ({ ctx, ref }: Running) =>
  inWorkspace(test.database, ref.organizationId, (sql) =>
    readCampaign({ ...ctx, sql, now: new Date() }, ref.campaignId),
  );

const accepted = ({ phoneNumberId }: Running) =>
  test.simulator
    .ledger()
    .filter((entry) => entry.phone_number_id === phoneNumberId && entry.wamid !== null);

/** Batches until there is nothing left to do, waiting as the workflow would. */
async function sendAll({ ref }: Running, deps = test.deps): Promise<CampaignProgress> {
  for (;;) {
    const progress = await sendBatch(deps, ref, untilDone);
    if (progress.stage !== 'sending') return progress;
    await new Promise((resolve) => setTimeout(resolve, progress.waitMs));
  }
}

describe('sending a batch', () => {
  it('sends to everybody exactly once and ends the campaign', async () => {
    const campaign = await running(ordinaryPhones(300));

    const progress = await sendAll(campaign);

    expect(progress).toMatchObject({ stage: 'done', sent: 300, lost: 0, left: 0 });
    const keys = accepted(campaign).map((entry) => entry.key);
    expect(keys).toHaveLength(300);
    expect(new Set(keys).size).toBe(300);
    expect((await detail(campaign)).results).toMatchObject({ sent: 300, pending: 0, sending: 0 });
  });
});
