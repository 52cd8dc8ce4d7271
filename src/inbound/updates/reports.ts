import { type EarlyReports, settleByReports } from '../../campaigns/batches/early-reports.ts';
import { followMessages } from '../../campaigns/batches/following.ts';
import { noteReached } from '../../contacts/reaching.ts';
import {
  type AppliedStatuses,
  applyStatuses,
  type StatusReport,
} from '../../conversations/receiving/statuses.ts';
import type { Clock } from '../../db/clock.ts';
import type { ContextParts } from '../../db/contexts.ts';
import { inWorkspace, ROW_BY_ROW } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { isRecent, stopWhatFailed } from './halts.ts';
import { leaveUnknownGroups, optOutByRefusals } from './preferences.ts';

type ReportsDeps = ContextParts & { readonly clock: Clock };

export interface ReportsOfNumber {
  readonly about: EarlyReports;
  readonly reports: readonly StatusReport[];
}

/**
 * Applies reports to messages and recipients of one workspace, and acts on what they change.
 *
 * @param ofNumbers in the order of the numbers' ids, as in every transaction
 * @returns reports whose ids match no message
 */
export async function takeReports(
  deps: ReportsDeps,
  organizationId: string,
  ofNumbers: readonly ReportsOfNumber[],
): Promise<StatusReport[]> {
  const applied = await applyTogether(deps, organizationId, applyToMessages, ofNumbers);
  const late = applied.flatMap(({ about, late: reports }) =>
    reports.length > 0 ? [{ about, reports }] : [],
  );
  const appliedLate = await applyTogether(deps, organizationId, applyLate, late);
  return [...applied, ...appliedLate].flatMap(({ unmatched }) => unmatched);
}

/**
 * In one transaction; what it changed is acted on before anything else may fail. If that is cut short, it is made up
 * for when the webhook is processed again, though nothing changes any more.
 */
async function applyTogether<T extends AppliedStatuses>(
  deps: ReportsDeps,
  organizationId: string,
  apply: (sql: Sql, about: EarlyReports, reports: readonly StatusReport[]) => Promise<T>,
  ofNumbers: readonly ReportsOfNumber[],
): Promise<(T & Pick<ReportsOfNumber, 'about'>)[]> {
  if (ofNumbers.length === 0) return [];
  const applyAll = async (sql: Sql) => {
    const all: (T & Pick<ReportsOfNumber, 'about'>)[] = [];
    for (const { about, reports } of ofNumbers)
      all.push({ ...(await apply(sql, about, reports)), about });
    return all;
  };
  const applied = await inWorkspace(deps.database, organizationId, applyAll, ROW_BY_ROW);
  if (applied.some(({ announced }) => announced > 0)) void deps.wake('events');
  for (const { about, changed, repeated } of applied) {
    await stopWhatFailed(deps, about, [...changed, ...repeated]);
    await optOutByRefusals(deps, about, { changed, repeated });
    // A group may have taken us back since; if not, the next message to it tells so again.
    const recent = repeated.filter(({ at }) => isRecent(at, about.now));
    await leaveUnknownGroups(deps, about, [...changed, ...recent]);
  }
  return applied;
}

export interface AppliedReports extends AppliedStatuses {
  /** Reports about messages that their campaign has written down at this very moment, for `applyLate`. */
  readonly late: readonly StatusReport[];
}

/**
 * Applies the reports of one number to its messages and to recipients of campaigns. A report that is quicker than its
 * campaign settles the recipient itself. In the caller's transaction.
 */
export async function applyToMessages(
  sql: Sql,
  about: EarlyReports,
  reports: readonly StatusReport[],
): Promise<AppliedReports> {
  const known = await applyLate(sql, about, reports);
  const [named, others] = parted(known.unmatched);
  if (named.length === 0) return { ...known, late: [] };
  const early = await settleByReports(sql, about, named);
  await noteReached(sql, about.organizationId, early.reached, 'campaign');
  return {
    changed: [...known.changed, ...early.changed],
    repeated: known.repeated,
    unmatched: others,
    announced: known.announced + early.announced,
    late: early.unmatched,
  };
}

/**
 * Applies reports to messages that exist. In a transaction of its own: whoever has settled recipients and then waits
 * for messages deadlocks with others that lock the messages first.
 */
export async function applyLate(
  sql: Sql,
  { organizationId, numberId }: EarlyReports,
  reports: readonly StatusReport[],
): Promise<AppliedStatuses> {
  if (reports.length === 0) return { changed: [], repeated: [], unmatched: [], announced: 0 };
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
