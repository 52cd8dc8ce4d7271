import type { ReadContext } from '../context.ts';
import { notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { takesSeat } from './managing.ts';
import {
  type MemberRow,
  type MemberSettingsRow,
  selectMember,
  selectMemberSettings,
  selectMembers,
  selectTeam,
  selectTeamSettings,
  selectTeams,
  type TeamRow,
  type TeamSettingsRow,
} from './queries.ts';
import type { MemberView, TeamView } from './schema.ts';

/** Everyone in the workspace, newest first. */
export async function listMembers(
  ctx: ReadContext,
  page: PageRequest,
): Promise<PageOf<MemberView>> {
  return pageOf(await selectMembers(ctx, page), page, (row) => presentMember(row, ctx.now));
}

/** One person. Throws 404. */
export async function getMember(ctx: ReadContext, id: string): Promise<MemberView> {
  const row = await selectMember(ctx, id);
  if (!row) throw notFound('member');
  return presentMember(row, ctx.now);
}

/** Newest first. */
export async function listTeams(ctx: ReadContext, page: PageRequest): Promise<PageOf<TeamView>> {
  return pageOf(await selectTeams(ctx, page), page, presentTeam);
}

/** Throws 404. */
export async function getTeam(ctx: ReadContext, id: string): Promise<TeamView> {
  const row = await selectTeam(ctx, id);
  if (!row) throw notFound('team');
  return presentTeam(row);
}

/** One person with all settings that managers can change. Throws 404. */
export async function memberSettings(ctx: ReadContext, id: string): Promise<MemberSettingsRow> {
  const row = await selectMemberSettings(ctx, id);
  if (!row) throw notFound('member');
  return row;
}

/** Every team with all settings that managers can change, by name. */
export const teamSettings = (ctx: ReadContext): Promise<TeamSettingsRow[]> =>
  selectTeamSettings(ctx);

const presentTeam = ({ created_at, ...team }: TeamRow): TeamView => ({
  ...team,
  created_at: created_at.toISOString(),
});

const presentMember = (row: MemberRow, now: Date): MemberView => ({
  id: row.id,
  name: row.name,
  email: row.email,
  role: row.role,
  seat: takesSeat(row),
  visibility: row.visibility,
  team_ids: row.team_ids,
  status: row.status,
  online: row.online_until !== null && row.online_until > now,
  created_at: row.created_at.toISOString(),
});
