import { type CampaignRef, freezeAudience } from '../../../src/campaigns/audience/freezing.ts';
import { sendBatch } from '../../../src/campaigns/batches/sending.ts';
import type { CampaignInput } from '../../../src/campaigns/draft/input.ts';
import { readCampaign } from '../../../src/campaigns/reading.ts';
import type { CampaignProgress } from '../../../src/campaigns/rules.ts';
import type { CampaignDetailView } from '../../../src/campaigns/schema.ts';
import { sendCampaign } from '../../../src/campaigns/states/transitions.ts';
import type { Context } from '../../../src/context.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import type { NewNumber } from '../../../src/numbers/service.ts';
import { createReconciler } from '../../../src/relay/reconciler.ts';
import type { LedgerEntry } from '../../../src/simulator/sending/ledger.ts';
import { aCampaign } from '../../support/factories/campaigns.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { contactsWith, type SendingTest, untilDone } from './sending.ts';

export interface Made {
  readonly ctx: Context;
  readonly ref: CampaignRef;
  readonly numberId: string;
  readonly phoneNumberId: string;
  readonly contactIds: readonly string[];
}

export interface Wishes {
  readonly campaign?: Partial<CampaignInput>;
  readonly number?: Partial<NewNumber>;
}

/** A draft in a workspace of its own, to contacts with these phones. */
export async function drafted(
  test: SendingTest,
  phones: readonly string[],
  wishes: Wishes = {},
): Promise<Made> {
  const { ctx, workspaceId } = await aWorkspace(test.database);
  const number = await aNumber(ctx, wishes.number);
  const contactIds = await contactsWith(ctx, phones);
  const input = { number_id: number.id, contact_ids: contactIds, ...wishes.campaign };
  const campaign = await aCampaign(ctx, input);
  return {
    ctx,
    ref: { organizationId: workspaceId, campaignId: campaign.id },
    numberId: number.id,
    phoneNumberId: number.phoneNumberId ?? '',
    contactIds,
  };
}

/** Another campaign of the same workspace and number, to these people. */
export async function another(made: Made, contactIds: readonly string[]): Promise<Made> {
  const { id } = await aCampaign(made.ctx, {
    number_id: made.numberId,
    contact_ids: [...contactIds],
  });
  return { ...made, contactIds, ref: { ...made.ref, campaignId: id } };
}

export const freeze = (test: SendingTest, { ref }: Pick<Made, 'ref'>): Promise<boolean> =>
  freezeAudience(test.database, ref, { now: () => new Date(), mayGoOn: () => true });

/** Sent, its audience frozen: the next thing is a batch. */
export async function running(
  test: SendingTest,
  phones: readonly string[],
  wishes: Wishes = {},
): Promise<Made> {
  const made = await drafted(test, phones, wishes);
  await sendCampaign(made.ctx, made.ref.campaignId);
  await freeze(test, made);
  return made;
}

/** The campaign as `GET` shows it, its sums checked. */
export async function detailOf(test: SendingTest, { ctx, ref }: Made): Promise<CampaignDetailView> {
  const detail = await inWorkspace(test.database, ref.organizationId, (sql) =>
    readCampaign({ ...ctx, sql, now: new Date() }, ref.campaignId),
  );
  const { audience, results } = detail;
  const sum = (values: number[]): number => values.reduce((total, n) => total + n, 0);
  const { pending, sending, sent, delivered, read, failed, skipped, unconfirmed, cancelled } =
    results;
  const each = [pending, sending, sent, delivered, read, failed, skipped, unconfirmed, cancelled];
  if (audience.total !== audience.eligible + sum(Object.values(audience.excluded))) {
    throw new TypeError(`total is not eligible + excluded: ${JSON.stringify(audience)}`);
  }
  if (audience.eligible !== sum(each)) {
    throw new TypeError(`results do not add up: ${JSON.stringify(detail)}`);
  }
  return detail;
}

/** What the simulator accepted from the campaign's number. */
export const acceptedBy = (test: SendingTest, { phoneNumberId }: Made): LedgerEntry[] =>
  test.simulator
    .ledger()
    .filter((entry) => entry.phone_number_id === phoneNumberId && entry.wamid !== null);

/** Batches until nothing is left to do, waiting as the workflow would. */
export async function sendAll(
  test: SendingTest,
  { ref }: Pick<Made, 'ref'>,
  deps = test.deps,
): Promise<CampaignProgress> {
  for (;;) {
    const progress = await sendBatch(deps, ref, untilDone);
    if (progress.stage !== 'sending') return progress;
    await new Promise((resolve) => setTimeout(resolve, progress.waitMs));
  }
}

/** Whether one round of the reconciler asks for its workflow. */
export async function startedAgain(test: SendingTest, { ref }: Made): Promise<boolean> {
  const asked: string[] = [];
  const perform = async (reaction: { workflowId: string }): Promise<void> => {
    asked.push(reaction.workflowId);
  };
  await createReconciler({ database: test.database, calls: { perform } })();
  return asked.includes(`campaign:${ref.campaignId}`);
}
