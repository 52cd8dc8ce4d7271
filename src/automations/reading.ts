import type { ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { findIssues } from './issues/issues.ts';
import { knownTo } from './issues/known.ts';
import { presentAutomation, presentDetail, presentRun, presentRunDetail } from './present.ts';
import {
  findAutomation,
  findRun,
  listAutomationRows,
  listRunRows,
  listRunSteps,
} from './queries.ts';
import type {
  AutomationDetail,
  AutomationFilters,
  AutomationView,
  RunDetail,
  RunFilters,
  RunView,
} from './schema.ts';

/** Newest first, without their drafts. */
export const listAutomations = async (
  ctx: ReadContext,
  filters: AutomationFilters,
  page: PageRequest,
): Promise<PageOf<AutomationView>> =>
  pageOf(await listAutomationRows(ctx, filters, page), page, presentAutomation);

/** With the draft and its current issues, because records it refers to may have been deleted since it was written. */
export async function getAutomation(ctx: ReadContext, id: string): Promise<AutomationDetail> {
  const row = await findAutomation(ctx, id);
  if (!row) throw notFound('automation');
  return presentDetail(row, findIssues(row.draft, await knownTo(ctx, row.draft)));
}

/** The runs of one automation, newest first. Throws 404 for an automation of another workspace. */
export async function listRuns(
  ctx: ReadContext,
  automationId: string,
  filters: RunFilters,
  page: PageRequest,
): Promise<PageOf<RunView>> {
  if (!(await findAutomation(ctx, automationId))) throw notFound('automation');
  return pageOf(await listRunRows(ctx, automationId, filters, page), page, presentRun);
}

/** With its latest steps. Throws 404 for a run of another workspace. */
export async function getRun(ctx: ReadContext, id: string): Promise<RunDetail> {
  const row = await findRun(ctx, id);
  if (!row) throw notFound('run');
  return presentRunDetail(row, await listRunSteps(ctx, id));
}
