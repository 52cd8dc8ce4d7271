import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { transact } from '../db/transact.ts';
import type { Member } from './entities.ts';
import { giveAwayAll } from './giving-away.ts';
import { changeStatus, keepAnOwner, memberToChange } from './managing.ts';

/**
 * Removes the person from the workspace, whose access ends first. What was assigned to them waits for someone else;
 * their name stays in the audit log and on what they wrote. Removed page by page, since somebody may own hundreds of
 * thousands of contacts: interrupted, it leaves the person suspended, and the next call goes on.
 *
 * Throws 404, 403 where an Admin would remove an Owner, 409 `last_owner`.
 */
export async function removeMember(ctx: Context, id: string): Promise<void> {
  await transact(ctx, async (tx) => {
    const member = await memberToRemove(tx, id);
    if (member.status !== 'suspended')
      await changeStatus(tx, member, 'suspended', 'member.suspended');
  });
  await giveAwayAll(ctx, id);
  await transact(ctx, async (tx) => {
    const { name, role } = await memberToRemove(tx, id);
    const ids = [tx.organizationId, id];
    await tx.sql.rows('delete from members where organization_id = $1 and id = $2', ids);
    await audit(tx, {
      action: 'member.removed',
      target: { type: 'member', id, name },
      changes: [{ field: 'role', from: role, to: null }],
    });
  });
}

async function memberToRemove(tx: Context, id: string): Promise<Member> {
  const member = await memberToChange(tx, id);
  await keepAnOwner(tx, member);
  return member;
}
