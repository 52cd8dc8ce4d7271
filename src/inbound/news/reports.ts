import { type EarlyReports, settleByReports } from '../../campaigns/batches/early-reports.ts';
import { followMessages } from '../../campaigns/batches/following.ts';
import { noteReached } from '../../contacts/reaching.ts';
import {
  type AppliedStatuses,
  applyStatuses,
  type StatusReport,
} from '../../conversations/receiving/statuses.ts';
import type { Sql } from '../../db/sql.ts';

/**
 * Applies the reports of one number to its messages and to recipients of campaigns. A report that is quicker than its
 * campaign settles the recipient itself. In the caller's transaction.
 */
export async function applyToMessages(
  sql: Sql,
  about: EarlyReports,
  reports: readonly StatusReport[],
): Promise<AppliedStatuses> {
  const known = await applyFollowed(sql, about, reports);
  const [named, others] = parted(known.unmatched);
  if (named.length === 0) return known;
  const early = await settleByReports(sql, about, named);
  await noteReached(sql, about.organizationId, early.reached, 'campaign');
  // Messages that the campaign settled at this very moment exist now.
  const late = await applyFollowed(sql, about, early.unmatched);
  return {
    changed: [...known.changed, ...early.changed, ...late.changed],
    unmatched: [...others, ...late.unmatched],
    announced: known.announced + early.announced + late.announced,
  };
}

async function applyFollowed(
  sql: Sql,
  { organizationId, numberId }: EarlyReports,
  reports: readonly StatusReport[],
): Promise<AppliedStatuses> {
  if (reports.length === 0) return { changed: [], unmatched: [], announced: 0 };
  const applied = await applyStatuses(sql, organizationId, numberId, reports);
  const ofCampaigns = applied.changed.filter(({ campaignId }) => campaignId !== null);
  await followMessages(sql, organizationId, ofCampaigns);
  return applied;
}

/** Reports with a correlation, and those without. */
const parted = (reports: readonly StatusReport[]): [StatusReport[], StatusReport[]] => [
  reports.filter(({ correlation }) => correlation !== null),
  reports.filter(({ correlation }) => correlation === null),
];
