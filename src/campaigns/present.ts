import type { AudienceCounts } from './audience/candidates.ts';
import { eligibleOf } from './audience/estimating.ts';
import { effectivePace } from './limits/pacing.ts';
import type { CampaignRow, DetailRow, RecipientRow } from './queries.ts';
import { EXCLUSIONS, RECIPIENT_STATUSES, REPORTED_REASONS } from './rules.ts';
import type { CampaignDetailView, CampaignView, RecipientView } from './schema.ts';

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

/** What is said of the moment of reading: when that is, and when the campaign will be over. */
interface Moment {
  readonly now: Date;
  readonly finish: Date | null;
}

export function presentCampaign(row: CampaignRow, { now, finish }: Moment): CampaignView {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    number_id: row.number_id,
    target: row.target,
    segment_id: row.segment_id,
    contact_ids: row.contact_ids,
    group_ids: row.group_ids,
    text: row.text,
    send_at: iso(row.send_at),
    pace: row.pace ?? 0,
    started_at: iso(row.started_at),
    finished_at: iso(row.finished_at),
    created_at: row.created_at.toISOString(),
    effective_pace: paceOf(row),
    estimated_finish_at: iso(finish),
    pause_reason: row.pause_reason,
    waiting_until: iso(waitingUntil(row, now)),
    retry_of: row.retry_of,
    pipeline_id: row.pipeline_id,
    stage_ids: row.stage_ids,
  };
}

/** Until when the campaign waits by itself; null while it sends, and in every other state. */
export const waitingUntil = (
  { status, waiting_until: until }: CampaignRow,
  now: Date,
): Date | null => (status === 'sending' && until && until > now ? until : null);

/** Messages per minute that the campaign effectively gets; null if nothing limits it. */
export const paceOf = (row: CampaignRow): number | null =>
  effectivePace(row.requested_pace, row.ceiling_per_minute, row.others);

/** Each of these with a count of none. */
export const zeros = <K extends string>(keys: readonly K[]): Record<K, number> =>
  Object.fromEntries(keys.map((key) => [key, 0])) as Record<K, number>;

/** Every reason with its count, including those that apply to no one. */
export const presentExcluded = ({ excluded }: Pick<AudienceCounts, 'excluded'>) => ({
  ...zeros(EXCLUSIONS),
  ...excluded,
});

/**
 * @param estimate who would get it now, for a campaign whose audience is still to be frozen
 */
export function presentDetail(
  row: DetailRow,
  estimate: AudienceCounts | null,
  moment: Moment,
): CampaignDetailView {
  const audience = estimate ?? { total: row.total, excluded: row.excluded };
  const eligible = eligibleOf(audience);
  return {
    ...presentCampaign(row, moment),
    audience: {
      status: estimate ? 'estimated' : 'frozen',
      total: audience.total,
      eligible,
      excluded: presentExcluded(audience),
      frozen_at: iso(row.frozen_at),
    },
    results: {
      ...zeros(RECIPIENT_STATUSES),
      ...(estimate ? { pending: eligible } : row.by_status),
      replied: row.replied,
      opted_out: row.opted_out,
      reasons: { ...zeros(REPORTED_REASONS), ...row.reasons },
      first_sent_at: iso(row.first_sent_at),
      last_sent_at: iso(row.last_sent_at),
    },
  };
}

export const presentRecipient = (row: RecipientRow): RecipientView => ({
  ...row,
  claimed_at: iso(row.claimed_at),
  settled_at: iso(row.settled_at),
});
