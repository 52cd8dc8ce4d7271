import { requirePermission } from '../access/actor.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import { invalidState } from '../errors.ts';
import { fillRoom } from './assigning.ts';
import type { Member } from './entities.ts';
import { lockMember } from './managing.ts';
import { PRESENCE_MS } from './rules.ts';

/**
 * Marks a person as online or away. Being online lasts for `forMs` and must be renewed before it ends; only the
 * changes enter the audit log. The assignment queue gives conversations to those online.
 */
export async function setPresence(
  ctx: Context,
  id: string,
  { online, forMs = PRESENCE_MS }: { online: boolean; forMs?: number },
): Promise<Member> {
  const member = await transact(ctx, async (tx) => {
    if (tx.actor.id !== id) requirePermission(tx.actor, 'members.manage');
    const member = await lockMember(tx, id);
    if (online && member.status !== 'active') throw invalidState(member.status, ['active']);
    const was = isThere(member, tx.now);
    member.onlineUntil = online ? new Date(tx.now.getTime() + forMs) : null;
    await tx.em.flush();
    if (was !== online)
      await audit(tx, {
        action: online ? 'member.came_online' : 'member.went_offline',
        target: { type: 'member', id, name: member.name },
      });
    return member;
  });
  if (online) await fillRoom(ctx, id);
  return member;
}

const isThere = ({ onlineUntil }: Member, now: Date): boolean =>
  (onlineUntil?.getTime() ?? 0) > now.getTime();
