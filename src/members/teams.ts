import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { requirePermission } from '../access/actor.ts';
import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context, InWorkspace } from '../context.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound, validation } from '../errors.ts';
import { nameUpTo } from '../http/fields.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { Team } from './entities.ts';
import { keepTeams } from './keeping.ts';

interface TeamName {
  readonly id: string;
  readonly name: string;
}

/** The ids of the teams with these names, compared case-insensitively; missing teams are created. */
export async function findOrCreateTeams(tx: Context, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  // Of two spellings of one name the first is kept. The database alone folds them: JavaScript's Σ and İ are other ones.
  const created = await tx.sql.rows<TeamName>(
    `insert into teams (organization_id, id, name, created_at)
     select $1, t.id, t.name, $4 from unnest($2::text[], $3::text[]) t (id, name)
     on conflict (organization_id, lower(name)) do nothing returning id, name`,
    [tx.organizationId, names.map(() => newId('team')), names, tx.now],
  );
  for (const team of created) {
    await audit(tx, { action: 'team.created', target: { type: 'team', ...team } });
  }
  const teams = await tx.sql.rows<{ id: string }>(
    `select id from teams where organization_id = $1
       and lower(name) in (select lower(n) from unnest($2::text[]) n)`,
    [tx.organizationId, names],
  );
  return teams.map((team) => team.id);
}

/** The ids of a member's teams, sorted. */
export async function teamsOf(
  { sql, organizationId }: InWorkspace,
  memberId: string,
): Promise<string[]> {
  const rows = await sql.rows<{ team_id: string }>(
    'select team_id from team_members where organization_id = $1 and member_id = $2',
    [organizationId, memberId],
  );
  return rows.map((row) => row.team_id).toSorted();
}

/** Makes these a member's teams, and returns them sorted. Throws 422 for one that does not exist. */
export async function moveToTeams(
  tx: Context,
  id: string,
  teams: readonly string[],
): Promise<string[]> {
  const wanted = [...new Set(teams)].toSorted();
  const known = await keepTeams(tx, wanted);
  if (known.size < wanted.length) {
    const message = 'There is no such team.';
    throw validation([{ path: 'team_ids', rule: 'unknown', message }]);
  }
  await tx.sql.rows(
    'delete from team_members where organization_id = $1 and member_id = $2 and team_id <> all ($3::text[])',
    [tx.organizationId, id, wanted],
  );
  await tx.sql.rows(
    `insert into team_members (organization_id, team_id, member_id)
     select $1, unnest($3::text[]), $2 on conflict do nothing`,
    [tx.organizationId, id, wanted],
  );
  return wanted;
}

export interface TeamPatch {
  /** 1 to 60 characters. */
  readonly name?: string | undefined;
  /** Whether waiting conversations of the team are assigned to its online members. */
  readonly autoAssign?: boolean | undefined;
  /** 1 to 1440 minutes without an answer, after which the conversation moves on; null for never. */
  readonly returnAfterMinutes?: number | null | undefined;
}

/** Adds a team without members. Throws 409 `duplicate` if a team has the name, in any case. */
export const addTeam = (ctx: Context, input: string): Promise<Team> =>
  transact(ctx, async (tx) => {
    requirePermission(tx.actor, 'members.manage');
    const name = teamName(input);
    const { organizationId, now: createdAt } = tx;
    const id = newId('team');
    const settings = { autoAssign: false, returnAfterMinutes: null };
    const team = tx.em.create(Team, { id, organizationId, name, ...settings, createdAt });
    await flushNamed(tx);
    await audit(tx, { action: 'team.created', target: { type: 'team', id, name } });
    return team;
  });

/** Changes the fields that the patch names. Throws 403, 404, 409 if another team has the name, and 422. */
export const updateTeam = (ctx: Context, id: string, patch: TeamPatch): Promise<Team> =>
  transact(ctx, async (tx) => {
    requirePermission(tx.actor, 'members.manage');
    const team = await lockTeam(tx, id);
    const before = audited(team);
    team.name = patch.name === undefined ? team.name : teamName(patch.name);
    team.autoAssign = patch.autoAssign ?? team.autoAssign;
    if (patch.returnAfterMinutes !== undefined)
      team.returnAfterMinutes = returnTimer(patch.returnAfterMinutes);
    await flushNamed(tx);
    const changes = changesBetween(before, audited(team));
    const target = { type: 'team', id, name: team.name };
    if (changes.length > 0) await audit(tx, { action: 'team.updated', target, changes });
    return team;
  });

const named = z.strictObject({ name: nameUpTo(60) });

const audited = ({ name, autoAssign, returnAfterMinutes }: Team) => ({
  name,
  auto_assign: autoAssign,
  return_after_minutes: returnAfterMinutes ?? null,
});

const timer = z.strictObject({ return_after_minutes: z.int().min(1).max(1_440).nullable() });

const returnTimer = (minutes: number | null): number | null =>
  guard(timer, { return_after_minutes: minutes }).return_after_minutes;

const teamName = (name: string): string => guard(named, { name }).name;

/**
 * For a change or its removal: nobody gives it anything until the commit, and one that was changed or removed meanwhile is
 * not known from before. Throws 404.
 */
export async function lockTeam(tx: Context, id: string): Promise<Team> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true };
  const team = await tx.em.findOne(Team, { id }, lock);
  if (!team) throw notFound('team');
  return team;
}

async function flushNamed(tx: Context): Promise<void> {
  try {
    await tx.em.flush();
  } catch (error) {
    if (!(error instanceof UniqueConstraintViolationException)) throw error;
    throw new AppError('duplicate', 'A team has this name already.', undefined, { cause: error });
  }
}
