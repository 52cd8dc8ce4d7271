import { system } from '../../access/actor.ts';
import { optOutRefused } from '../../contacts/opt-outs/refused.ts';
import type { Context } from '../../context.ts';
import { inWorkspace } from '../../db/database.ts';
import { GROUP_UNKNOWN_CODE, OPTED_OUT_CODE } from '../../gateway/cloud-api/classify.ts';
import { holdNumber } from '../../numbers/pacer.ts';
import { leaveRefused } from '../../reminders/lost-groups.ts';
import type { CampaignRef } from '../audience/freezing.ts';
import type { Campaign } from '../entities.ts';
import { uncountClaimed } from '../limits/day-limits.ts';
import { dayOf, nextDay } from '../limits/quiet-hours.ts';
import { pauseByItself, waitUntil } from '../states/by-itself.ts';
import type { DayOver } from './claiming.ts';
import { type Claimed, PLANNED_ONCE } from './claims.ts';
import type { SendingDeps } from './deps.ts';
import { haltRefused } from './halting-number.ts';
import type { Job } from './job.ts';
import type { Judge, Trouble } from './judging.ts';
import { somebodyIsLeft } from './progress.ts';
import { type Settlement, settle } from './settling.ts';

/** A context for work that no one requested: the audit log names `campaigns`. */
export const systemContext = (deps: SendingDeps, ref: CampaignRef): Context =>
  deps.contextFor(ref.organizationId, system('campaigns'));

/** Records answers. Safe to repeat. */
export async function settleBatch(
  deps: SendingDeps,
  job: Job,
  batch: readonly Settlement[],
): Promise<void> {
  const request = { ...job, now: deps.clock.now() };
  // Of what came back, a day keeps only the recipients' own tries.
  const uncounted = batch.flatMap((each) =>
    each.status === 'pending' && !each.counted ? [each.row] : [],
  );
  const facts = await inWorkspace(
    deps.database,
    job.organizationId,
    async (sql) => {
      // The number's days are locked before the recipients, as in a claim.
      if (job.limited) await uncountClaimed(sql, job.limited, job.campaignId, uncounted);
      return settle(sql, request, batch);
    },
    PLANNED_ONCE,
  );
  if (facts > 0) void deps.wake('events');
}

/** Whether an answer says something of its person or group, for `actOnRefusals`. */
export const tellsOfMore = (answer: Settlement): boolean =>
  refusedBy(answer, OPTED_OUT_CODE) || refusedBy(answer, GROUP_UNKNOWN_CODE);

const refusedBy = (answer: Settlement, code: number): boolean =>
  answer.status === 'failed' && answer.error.provider_code === code;

/**
 * People for whom WhatsApp refused because they opted out there are not sent to by other campaigns either. Groups
 * that it does not know are left. Safe to repeat.
 */
export async function actOnRefusals(
  deps: SendingDeps,
  job: Job,
  batch: readonly Settlement[],
): Promise<void> {
  const rowsRefusedBy = (code: number): Claimed[] =>
    batch.filter((each) => refusedBy(each, code)).map(({ row }) => row);
  const unwanted = rowsRefusedBy(OPTED_OUT_CODE).flatMap(({ contactId, messageId }) =>
    contactId === null ? [] : [{ contactId, messageId }],
  );
  const ofGroups = rowsRefusedBy(GROUP_UNKNOWN_CODE).map(({ messageId }) => messageId);
  if (unwanted.length > 0) await optOutRefused(systemContext(deps, job), unwanted);
  if (ofGroups.length > 0) await leaveRefused(systemContext(deps, job), ofGroups);
}

/** Acts on what the answers mean for the number and the campaign, once they are recorded. */
export async function react(deps: SendingDeps, job: Job, judge: Judge): Promise<void> {
  const trouble: Trouble | null = judge.trouble();
  if (!trouble) return;
  const ctx = systemContext(deps, job);
  if (trouble.kind === 'hold') {
    await inWorkspace(deps.database, job.organizationId, (sql) =>
      holdNumber(sql, job.pace, trouble),
    );
  } else if (trouble.kind === 'errors') {
    await pauseByItself(ctx, job.campaignId, 'error_rate', somebodyIsLeft);
  } else if (trouble.kind === 'template') {
    await pauseByItself(ctx, job.campaignId, 'template_paused');
  } else if (trouble.cause === 'spam_limit') {
    await pauseByItself(ctx, job.campaignId, 'spam_limit');
  } else {
    await haltRefused(ctx, deps.keyring, job, trouble.cause, trouble.providerCode);
  }
}

/**
 * A limit that a person set is for a person to decide about; the warm-up has more room tomorrow. One that was changed or
 * removed since the batch read it pauses nothing.
 *
 * @param day the number's day that had no room; if midnight has come since, the new one has
 */
export async function endDay(
  deps: SendingDeps,
  job: Job,
  why: DayOver,
  day: string | undefined,
): Promise<void> {
  const { timeZone } = job.limited ?? { timeZone: 'UTC' };
  const now = deps.clock.now();
  if (dayOf(timeZone, now) !== day) return;
  const ctx = systemContext(deps, job);
  if (why === 'daily_limit')
    return pauseByItself(ctx, job.campaignId, 'daily_limit', isStillOf(job));
  await waitUntil(ctx, job.campaignId, nextDay(timeZone, now), 'warm_up');
}

const isStillOf =
  (job: Job) =>
  async (_: Context, { limitsRevision }: Campaign): Promise<boolean> =>
    limitsRevision === job.limitsRevision;
