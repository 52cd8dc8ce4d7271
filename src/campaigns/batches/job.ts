import { inWorkspace } from '../../db/database.ts';
import { first, type Sql } from '../../db/sql.ts';
import { GROUP_LANE, type NarrowLane, numberState, type Pace } from '../../numbers/pacer.ts';
import { LEASE_AHEAD_MS } from '../../numbers/pacing.ts';
import { canSend, type NumberStatus, type Provider } from '../../numbers/rules.ts';
import { readableToken } from '../../numbers/sending.ts';
import type { CampaignRef } from '../audience/freezing.ts';
import { isLimited, type LimitedNumber } from '../limits/day-limits.ts';
import { quietOf } from '../limits/guards.ts';
import { fairShare, SHARE_OF_CEILING } from '../limits/pacing.ts';
import { quietFrom, quietUntil } from '../limits/quiet-hours.ts';
import { FROM, OTHERS, REQUESTED_PACE } from '../queries.ts';
import { type CampaignTarget, LAST_ASKED } from '../rules.ts';
import type { SendingDeps } from './deps.ts';

/** What one batch needs to know, read once. */
export interface Job extends CampaignRef {
  readonly numberId: string;
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly window24h: boolean;
  readonly toGroups: boolean;
  readonly runningSince: Date | null;
  readonly pace: Pace;
  /** Whether slots must be leased at all. */
  readonly paced: boolean;
  /** How many times in a row the number was turned away last: if at all, a single send finds out whether it still is. */
  readonly refusals: number;
  /** Set if the number has daily limits; null if not. */
  readonly limited: LimitedNumber | null;
  /** Nothing can be claimed once it is not the campaign's any more: another limit holds now. */
  readonly limitsRevision: number;
  /** Milliseconds until the batch must end because quiet hours begin; infinite without any. */
  readonly closesInMs: number;
}

interface JobRow {
  readonly target: CampaignTarget;
  readonly pace: number | null;
  readonly running_since: Date | null;
  readonly number_id: string;
  readonly status: NumberStatus;
  readonly provider: Provider;
  readonly phone_number_id: string | null;
  readonly access_token: string | null;
  readonly window_24h: boolean;
  readonly ceiling_per_minute: number | null;
  readonly daily_limit: number | null;
  readonly limits_revision: number;
  readonly others: readonly (number | null)[];
  readonly time_zone: string;
  readonly quiet_from: string | null;
  readonly quiet_to: string | null;
}

/** Null if the number cannot send. */
export async function openJob(deps: SendingDeps, ref: CampaignRef): Promise<Job | null> {
  return inWorkspace(deps.database, ref.organizationId, async (sql) => {
    const row = await first<JobRow>(
      sql,
      `select c.target, ${REQUESTED_PACE} as pace, c.running_since, c.limits_revision, n.id as number_id, n.status, n.provider, n.phone_number_id,
         n.access_token, n.window_24h, n.ceiling_per_minute, l.daily_limit, ${OTHERS} as others,
         w.time_zone, t.quiet_from, t.quiet_to
       ${FROM}
       where c.organization_id = $1 and c.id = $2`,
      [ref.organizationId, ref.campaignId],
      'campaign-job',
    );
    if (!row?.phone_number_id || !canSend(row.status)) return null;
    const accessToken = readableToken(deps.keyring, ref.organizationId, {
      id: row.number_id,
      provider: row.provider,
      accessToken: row.access_token,
    });
    if (!accessToken) return null;
    const pace: Pace = {
      organizationId: ref.organizationId,
      numberId: row.number_id,
      ceilingPerMinute: row.ceiling_per_minute,
      lanes: lanesOf(ref, row),
      clock: deps.clock,
    };
    const { refusals, slowed } = await numberState(sql, pace);
    const limited = {
      organizationId: ref.organizationId,
      numberId: row.number_id,
      provider: row.provider,
      dailyLimit: row.daily_limit,
      timeZone: row.time_zone,
    };
    return {
      organizationId: ref.organizationId,
      campaignId: ref.campaignId,
      numberId: row.number_id,
      phoneNumberId: row.phone_number_id,
      accessToken,
      window24h: row.window_24h,
      toGroups: row.target === 'groups',
      runningSince: row.running_since,
      pace,
      paced: slowed || pace.lanes.length > 1 || pace.ceilingPerMinute !== null,
      refusals,
      limited: isLimited(limited) ? limited : null,
      limitsRevision: row.limits_revision,
      closesInMs: closesIn(row, deps.clock.now()),
    };
  });
}

/** Recipients already claimed are still sent to before they begin; they may have begun since this batch was due. */
function closesIn(row: JobRow, now: Date): number {
  const quiet = quietOf(row);
  if (quietUntil(quiet, now)) return 0;
  const begin = quietFrom(quiet, now);
  return begin ? begin.getTime() - now.getTime() - LEASE_AHEAD_MS : Number.POSITIVE_INFINITY;
}

/**
 * All campaigns of a number share part of its ceiling. Each keeps to its own pace or its fair share of that part,
 * whichever is less, and campaigns to groups to theirs. A pause of moments is made up for.
 */
function lanesOf({ campaignId }: CampaignRef, row: JobRow): NarrowLane[] {
  const own = ownLane(row);
  return [
    { name: 'campaigns', share: SHARE_OF_CEILING, catchesUp: true },
    ...(own ? [{ name: campaignId, ...own, catchesUp: true }] : []),
    ...(row.target === 'groups' ? [GROUP_LANE] : []),
  ];
}

/** If the share is less than the pace, it decreases with the ceiling while the number is slowed. */
function ownLane(row: JobRow): { perMinute: number } | { share: number } | null {
  const { pace, ceiling_per_minute: ceiling, others } = row;
  if (ceiling === null || others.length === 0) return pace === null ? null : { perMinute: pace };
  const fair = fairShare(ceiling * SHARE_OF_CEILING, pace, others);
  return pace !== null && pace <= fair ? { perMinute: pace } : { share: fair / ceiling };
}

/** The outcomes of the last sends, since the campaign began or resumed. */
export interface Recent {
  /** Latest first; true is a failure. */
  readonly failed: readonly boolean[];
  /** How many of these people have opted out since; those whom it did not reach react to something else. */
  readonly optedOut: number;
}

/** As many as the wider of the two guards covers (design decisions §6). */
export async function recentOutcomes(sql: Sql, job: Job): Promise<Recent> {
  const rows = await sql.rows<{ failed: boolean; opted_out: boolean }>(
    `select r.status = 'failed' as failed,
       coalesce(r.status <> 'failed' and c.opted_out and c.opted_out_at >= r.claimed_at, false) as opted_out
     from (select contact_id, status, claimed_at from campaign_recipients
       where organization_id = $1 and campaign_id = $2 and settled_at is not null and claimed_at >= $3
         and status in ('sent', 'delivered', 'read', 'failed')
       order by claimed_at desc limit $4) r
     left join contacts c on c.organization_id = $1 and c.id = r.contact_id
     order by r.claimed_at desc`,
    [job.organizationId, job.campaignId, job.runningSince ?? new Date(0), LAST_ASKED],
    'campaign-outcomes',
  );
  return {
    failed: rows.map((row) => row.failed),
    optedOut: rows.filter((row) => row.opted_out).length,
  };
}
