import { LockMode } from '@mikro-orm/postgresql';
import { requirePermission } from '../access/actor.ts';
import { holdsSeat, type Role } from '../access/roles.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { Member } from './entities.ts';
import type { MemberStatus } from './rules.ts';

/** Viewers hold no seat of the plan, and who is suspended gives the seat back. */
export const takesSeat = ({ role, status }: { role: Role; status: MemberStatus }): boolean =>
  holdsSeat(role) && status !== 'suspended';

/** Refuses one seat more than the plan has, counted under the lock of the workspace: 409 `quota`. */
export const requireSeat = (tx: Context): Promise<void> =>
  checkQuota(tx, 'seats', async () => {
    const row = await first<{ taken: number }>(
      tx.sql,
      `select count(*) as taken from members
       where organization_id = $1 and role <> 'viewer' and status <> 'suspended'`,
      [tx.organizationId],
    );
    return row?.taken ?? 0;
  });

/** Admins manage people, but neither touch Owners nor make one (design decisions §17): 403. */
export function requireManager({ actor }: Context, ...roles: readonly Role[]): void {
  requirePermission(actor, 'members.manage');
  if (actor.type !== 'member' || actor.role === 'owner' || !roles.includes('owner')) return;
  throw new AppError('forbidden', 'Only an Owner may do this to an Owner.', {
    permission: 'members.manage',
  });
}

/** The member, for a change: the workspace's row is locked, so changes to its people come one by one. */
export async function memberToChange(tx: Context, id: string): Promise<Member> {
  await tx.sql.rows('select 1 from workspaces where organization_id = $1 for no key update', [
    tx.organizationId,
  ]);
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true };
  const member = await tx.em.findOne(Member, { id }, lock);
  if (!member) throw notFound('member');
  requireManager(tx, member.role);
  return member;
}

/** Refuses to leave the workspace without an Owner who can act: 409 `last_owner`. */
export async function keepAnOwner(tx: Context, member: Member): Promise<void> {
  if (member.role !== 'owner' || member.status === 'suspended') return;
  const other = await first(
    tx.sql,
    `select 1 from members where organization_id = $1 and id <> $2 and role = 'owner' and status <> 'suspended'`,
    [tx.organizationId, member.id],
  );
  if (other) return;
  throw new AppError(
    'last_owner',
    'A workspace keeps at least one Owner. Make someone else one first.',
  );
}
