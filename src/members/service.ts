import { z } from 'zod';
import { VISIBILITIES, type Visibility } from '../access/actor.ts';
import { holdsSeat, ROLES, type Role } from '../access/roles.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError } from '../errors.ts';
import { nameUpTo } from '../http/fields.ts';
import { guard } from '../http/guard.ts';
import { newId } from '../ids.ts';
import { hashPassword } from '../people/passwords.ts';
import { personOf } from '../people/service.ts';
import { Member } from './entities.ts';
import { requireManager, requireSeat } from './managing.ts';
import { findOrCreateTeams, moveToTeams } from './teams.ts';

/** A person to be added to a workspace. */
export interface NewMember {
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  readonly visibility?: Visibility;
  /** Names; matched case-insensitively, created if missing. */
  readonly teams?: readonly string[];
  /** Instead of names; one that does not exist is refused. */
  readonly team_ids?: readonly string[];
  /**
   * For a person who has no account yet; an existing password is kept. Without one, and with an account, the member is
   * `invited`, and joins by accepting.
   */
  readonly password?: string;
}

const shape = z.object({
  email: z.email().max(254),
  name: nameUpTo(120),
  role: z.enum(ROLES),
  visibility: z.enum(VISIBILITIES).default('workspace'),
  teams: z.array(nameUpTo(60)).max(100).default([]),
  team_ids: z.array(z.string()).max(100).optional(),
});

/** How many open conversations the assignment queue may give a member at a time. */
const DEFAULT_CAPACITY = 10;

/** Adds a person to the workspace. Everyone except a Viewer takes a seat of the plan. */
export async function addMember(ctx: Context, input: NewMember): Promise<Member> {
  const { email, name, role, visibility, teams, team_ids } = parse(input);
  const passwordHash = input.password === undefined ? null : await hashPassword(input.password);
  return transact(ctx, async (tx) => {
    requireManager(tx, role);
    if (holdsSeat(role)) await requireSeat(tx);
    await refuseKnownEmail(tx, email);
    const person = await personOf(tx, { email, name, passwordHash });
    const member = tx.em.create(Member, {
      id: newId('mem'),
      organizationId: tx.organizationId,
      name,
      email,
      role,
      visibility,
      status: person.hasIt ? 'active' : 'invited',
      userId: person.id,
      joinedAt: person.hasIt ? tx.now : null,
      options: [],
      capacity: DEFAULT_CAPACITY,
      onlineUntil: null,
      awaySince: null,
      createdAt: tx.now,
    });
    await tx.em.flush();
    const wanted = team_ids ?? (await findOrCreateTeams(tx, teams));
    const teamIds = await moveToTeams(tx, member.id, wanted);
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
