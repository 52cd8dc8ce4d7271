import { LockMode } from '@mikro-orm/postgresql';
import { signatureOf } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound, validation } from '../errors.ts';
import { newId } from '../ids.ts';
import { WhatsAppNumber } from '../numbers/entities.ts';
import { requireNumber } from '../numbers/known.ts';
import { planOf } from '../workspaces/plans.ts';
import { timeZoneOf } from '../workspaces/service.ts';
import { contentProblems, targetProblems } from './draft/content.ts';
import type { CampaignInput } from './draft/input.ts';
import { requireTarget } from './draft/targets.ts';
import { readWhen } from './draft/when.ts';
import { Campaign } from './entities.ts';
import { PACES, pacesOf } from './limits/pacing.ts';
import { knowsCampaign } from './queries.ts';
import { type CampaignStep, refusalOf } from './rules.ts';

/** The campaign that another one repeats. */
interface Repeated extends Paced {
  readonly id: string;
  readonly text: string;
}

/** Creates a draft, which never sends (specification, Campaign). */
export async function createCampaign(
  ctx: Context,
  input: CampaignInput,
  { repeats = null }: { readonly repeats?: Repeated | null } = {},
): Promise<Campaign> {
  return transact(ctx, async (tx) => {
    await check(tx, input, { paced: repeats, text: repeats?.text });
    const sendAt = await sendAtOf(tx, input.when);
    const campaign = tx.em.create(Campaign, {
      id: newId('cmp'),
      organizationId: tx.organizationId,
      ...contentOf(input),
      status: 'draft',
      sendAt,
      pauseReason: null,
      waitingUntil: null,
      waitingFor: null,
      retryOf: repeats?.id ?? null,
      createdBy: signatureOf(tx.actor),
      total: 0,
      excluded: {},
      expected: null,
      frozenAt: null,
      frozenThrough: null,
      startedAt: null,
      runningSince: null,
      finishedAt: null,
      unsettled: false,
      limitsRevision: 0,
      wordsDropped: false,
      wordsDroppedThrough: '',
      createdAt: tx.now,
    });
    await tx.em.flush();
    await audit(tx, { action: 'campaign.created', target: targetOf(campaign) });
    return campaign;
  });
}

/** The fields of a draft to change; undefined ones stay. */
export type CampaignChange = { [K in keyof CampaignInput]?: CampaignInput[K] | undefined };

/** Changes a draft; fields that are left out stay. */
export async function updateCampaign(
  ctx: Context,
  id: string,
  change: CampaignChange,
): Promise<Campaign> {
  return transact(ctx, async (tx) => {
    const campaign = await lockCampaign(tx, id, 'edit');
    const before = inputOf(campaign);
    const given = Object.entries(change).filter(([, value]) => value !== undefined);
    const isOther = change.target !== undefined && change.target !== before.target;
    const kept = isOther ? { ...before, ...NOBODY } : before;
    const input: CampaignInput = { ...kept, ...Object.fromEntries(given) };
    // Another target may know other variables.
    const text = isOther ? undefined : before.text;
    await check(tx, input, { paced: before, contactIds: before.contact_ids, text });
    if (change.when !== undefined) campaign.sendAt = await sendAtOf(tx, change.when);
    Object.assign(campaign, contentOf(input));
    const changes = changesBetween({ ...before }, { ...inputOf(campaign) });
    if (changes.length === 0) return campaign;
    await tx.em.flush();
    await audit(tx, { action: 'campaign.updated', target: targetOf(campaign), changes });
    return campaign;
  });
}

/** A new target drops what identified the old one. */
const NOBODY = {
  segment_id: null,
  contact_ids: [],
  group_ids: [],
  pipeline_id: null,
  stage_ids: [],
};

/** Deletes a draft. Throws 409 `invalid_state` for any other campaign, 404 if there is none. */
export async function deleteCampaign(ctx: Context, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const campaign = await lockCampaign(tx, id, 'delete');
    await tx.em.remove(campaign).flush();
    await audit(tx, { action: 'campaign.deleted', target: targetOf(campaign) });
  });
}

/** Whoever may see it; null if there is none. */
export const lockAny = (tx: Context, id: string): Promise<Campaign | null> =>
  tx.em.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true });

/** The campaign, locked until the transaction ends; refuses a step that its status does not allow. */
export async function lockCampaign(tx: Context, id: string, step: CampaignStep): Promise<Campaign> {
  const campaign = await lockAny(tx, id);
  if (!campaign?.numberId || !(await knowsCampaign(tx, id))) throw notFound('campaign');
  const refusal = refusalOf(step, campaign.status);
  if (refusal) throw refusal;
  return campaign;
}

/** How the audit log names a campaign. */
export const targetOf = ({ id, name }: Campaign) => ({ type: 'campaign', id, name });

/** The moment that `when` stands for, in the workspace's zone; 422 if it is none, or out of range. */
export async function sendAtOf(tx: Context, when: string | null): Promise<Date | null> {
  if (when === null) return null;
  const read = readWhen(when, { timeZone: await timeZoneOf(tx), now: tx.now });
  if (read instanceof Date) return read;
  throw validation([read]);
}

/** What a pace is validated against. */
type Paced = Pick<CampaignInput, 'pace' | 'number_id' | 'target'>;

/** What was validated before and is not validated again. */
interface Known {
  /**
   * An unchanged pace: after moving to a smaller plan the campaign is slower, but can still be edited and retried.
   */
  readonly paced: Paced | null;
  /** Contacts of the list: one deleted since may stay in it, and gets nothing. */
  readonly contactIds?: readonly string[];
  /** An unchanged text, and what a retry repeats, however it was written. */
  readonly text?: string | undefined;
}

async function check(
  tx: Context,
  input: CampaignInput,
  { paced, contactIds = [], text }: Known,
): Promise<void> {
  const { pipeline_id = null, stage_ids = [] } = input;
  const target = targetProblems({ ...input, pipeline_id, stage_ids });
  const problems = [...target, ...(input.text === text ? [] : contentProblems(input))];
  if (problems.length > 0) throw validation(problems);
  await requireNumber(tx, input.number_id);
  if (paced === null || !isPacedAs(paced, input)) await checkPace(tx, input);
  const listed = new Set(contactIds);
  const added = input.contact_ids.filter((id) => !listed.has(id));
  await requireTarget(tx, { ...input, contact_ids: added });
}

const isPacedAs = (one: Paced, other: Paced): boolean =>
  one.pace === other.pace &&
  one.number_id === other.number_id &&
  (one.target === 'groups') === (other.target === 'groups');

async function checkPace(tx: Context, { pace, number_id, target }: Paced): Promise<void> {
  if (pace === null) return;
  const plan = await planOf(tx);
  const { provider } = await tx.em.findOneOrFail(WhatsAppNumber, { id: number_id });
  const allowed = pacesOf(provider, plan.maxPace, target === 'groups');
  if (allowed.includes(pace)) return;
  const known = (PACES as readonly number[]).includes(pace);
  if (!known) {
    const message = `Must be one of ${PACES.join(', ')}.`;
    throw validation([{ path: 'pace', rule: 'enum', allowed: PACES, message }]);
  }
  throw new AppError(
    'pace_not_allowed',
    `${pace} messages a minute are more than the number, the target or the plan ${plan.name} allows: at most ${Math.max(...allowed)}.`,
    { allowed, plan: plan.name },
  );
}

const contentOf = (input: CampaignInput) => ({
  name: input.name,
  numberId: input.number_id,
  target: input.target,
  segmentId: input.segment_id,
  contactIds: [...input.contact_ids],
  groupIds: [...input.group_ids],
  pipelineId: input.pipeline_id ?? null,
  stageIds: [...(input.stage_ids ?? [])],
  text: input.text,
  pace: input.pace,
});

const inputOf = (campaign: Campaign): CampaignInput => ({
  name: campaign.name,
  number_id: campaign.numberId ?? '',
  target: campaign.target,
  segment_id: campaign.segmentId ?? null,
  contact_ids: campaign.contactIds,
  group_ids: campaign.groupIds,
  pipeline_id: campaign.pipelineId ?? null,
  stage_ids: campaign.stageIds,
  text: campaign.text,
  when: campaign.sendAt?.toISOString() ?? null,
  pace: campaign.pace ?? null,
});
