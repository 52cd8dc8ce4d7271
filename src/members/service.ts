import { z } from 'zod';
import { holdsSeat, ROLES, type Role } from '../access/roles.ts';
import { VISIBILITIES, type Visibility } from '../access/visibility.ts';
import { audit } from '../audit/service.ts';
import type { Context, ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError } from '../errors.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { Member } from './entities.ts';
import { hashPassword } from './passwords.ts';
import type { MemberStatus } from './rules.ts';
import { findOrCreateTeams } from './teams.ts';

export interface NewMember {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly visibility?: Visibility;
  /** Names; found case-insensitively, or created. */
  readonly teams?: readonly string[];
  /** Without one the member is `invited` and cannot sign in. */
  readonly password?: string;
}

const shape = z.object({
  email: z.email().max(254),
  name: z.string().trim().min(1).max(120),
  role: z.enum(ROLES),
  visibility: z.enum(VISIBILITIES).default('workspace'),
  teams: z.array(z.string().trim().min(1).max(60)).max(100).default([]),
});

/** Open conversations that the assignment queue gives a member at once. */
const DEFAULT_CAPACITY = 10;

/** Adds a person to the workspace; everyone but a Viewer takes a seat of the plan. */
export async function addMember(ctx: Context, input: NewMember): Promise<Member> {
  const { email, name, role, visibility, teams } = parse(input);
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  return transact(ctx, async (tx) => {
    if (holdsSeat(role)) await checkQuota(tx, 'seats', () => seatsTaken(tx));
    await refuseKnownEmail(tx, email);
    const member = tx.em.create(Member, {
      id: newId('mem'),
      organizationId: tx.organizationId,
      name,
      email,
      role,
      visibility,
      status: passwordHash === null ? 'invited' : 'active',
      passwordHash,
      options: [],
      capacity: DEFAULT_CAPACITY,
      onlineUntil: null,
      createdAt: tx.now,
    });
    await tx.em.flush();
    const teamIds = await findOrCreateTeams(tx, teams);
    await tx.sql.rows(
      'insert into team_members (organization_id, team_id, member_id) select $1, unnest($2::text[]), $3',
      [tx.organizationId, teamIds, member.id],
    );
    await audit(tx, {
      action: 'member.added',
      target: { type: 'member', id: member.id, name },
      changes: [
        { field: 'role', from: null, to: role },
        { field: 'visibility', from: null, to: visibility },
        { field: 'team_ids', from: null, to: teamIds },
      ],
    });
    return member;
  });
}

/** A member as design decisions §17 shows it. */
export interface MemberRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly role: Role;
  readonly seat: boolean;
  readonly visibility: Visibility;
  readonly team_ids: readonly string[];
  readonly status: MemberStatus;
  readonly created_at: string;
}

/** Everyone in the workspace, newest first. */
export async function listMembers(ctx: ReadContext): Promise<MemberRecord[]> {
  type Row = Omit<MemberRecord, 'seat' | 'created_at'> & { created_at: Date };
  const rows = await ctx.sql.rows<Row>(
    `select m.id, m.name, m.email, m.role, m.visibility, m.status, m.created_at,
       array(select t.team_id from team_members t
             where t.organization_id = m.organization_id and t.member_id = m.id order by t.team_id) as team_ids
     from members m where m.organization_id = $1 order by m.id desc`,
    [ctx.organizationId],
  );
  return rows.map(({ created_at, ...row }) => ({
    ...row,
    seat: holdsSeat(row.role),
    created_at: created_at.toISOString(),
  }));
}

async function seatsTaken({ sql, organizationId }: Context): Promise<number> {
  const row = await first<{ taken: number }>(
    sql,
    "select count(*) as taken from members where organization_id = $1 and role <> 'viewer'",
    [organizationId],
  );
  return row?.taken ?? 0;
}

async function refuseKnownEmail({ sql, organizationId }: Context, email: string): Promise<void> {
  const known = await first<{ id: string }>(
    sql,
    'select id from members where organization_id = $1 and lower(email) = lower($2)',
    [organizationId, email],
  );
  if (!known) return;
  const message = 'A member with this e-mail address is in the workspace already.';
  throw new AppError('duplicate', message, { member_id: known.id });
}

function parse(input: NewMember): z.output<typeof shape> {
  const { password: _, ...fields } = input;
  return guard(shape, fields);
}
