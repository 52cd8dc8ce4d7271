import { LockMode } from '@mikro-orm/postgresql';
import { requirePermission } from '../access/actor.ts';
import { holdsSeat, type Role } from '../access/roles.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError, notFound } from '../errors.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { Member } from './entities.ts';
import type { MemberStatus } from './rules.ts';

/** Viewers need no seat, and a suspended member's seat is free. */
export const takesSeat = ({ role, status }: { role: Role; status: MemberStatus }): boolean =>
  holdsSeat(role) && status !== 'suspended';

/** Refuses to use more seats than the plan has, counted under the workspace's lock: 409 `quota`. */
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

/** Admins manage people, but may neither change Owners nor make someone an Owner (design decisions §17): 403. */
export function requireManager({ actor }: Context, ...roles: readonly Role[]): void {
  requirePermission(actor, 'members.manage');
  if (actor.type !== 'member' || actor.role === 'owner' || !roles.includes('owner')) return;
  throw new AppError('forbidden', 'Only an Owner may do this to an Owner.', {
    permission: 'members.manage',
  });
}

/** Loads the member for a change and locks the workspace's row, so that changes to its people happen one at a time. */
export async function memberToChange(tx: Context, id: string): Promise<Member> {
  await tx.sql.rows('select 1 from workspaces where organization_id = $1 for no key update', [
    tx.organizationId,
  ]);
  const member = await lockMember(tx, id);
  requireManager(tx, member.role);
  return member;
}

/** For a change of nobody else. Throws 404. */
export async function lockMember(tx: Context, id: string): Promise<Member> {
  const lock = { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true };
  const member = await tx.em.findOne(Member, { id }, lock);
  if (!member) throw notFound('member');
  return member;
}

/**
 * Refuses a change that would leave the workspace without an Owner, or without one who can sign in: 409 `last_owner`.
 */
export async function keepAnOwner(tx: Context, member: Member): Promise<void> {
  if (member.role !== 'owner' || member.status === 'suspended') return;
  const other = await first(
    tx.sql,
    `select 1 from members where organization_id = $1 and id <> $2 and role = 'owner' and status in ('active', $3)`,
    [tx.organizationId, member.id, member.status],
  );
  if (other) return;
  throw new AppError(
    'last_owner',
    'A workspace keeps at least one Owner who can sign in. Make someone else one first.',
  );
}

/** Changes it and writes the audit log, in the caller's transaction; nobody who is suspended counts as online. */
export async function changeStatus(
  tx: Context,
  member: Member,
  status: Member['status'],
  action: 'member.suspended' | 'member.reactivated',
): Promise<void> {
  const changes = [{ field: 'status', from: member.status, to: status }];
  Object.assign(member, { status, onlineUntil: null });
  await tx.em.flush();
  await audit(tx, {
    action,
    target: { type: 'member', id: member.id, name: member.name },
    changes,
  });
}
