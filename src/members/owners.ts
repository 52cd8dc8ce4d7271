import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError } from '../errors.ts';

/**
 * An owner must be a member of this workspace, and stays it until the transaction ends; a member of another one counts as
 * unknown: 422 `unknown_member`.
 */
export async function requireOwner(tx: Context, memberId: string | null): Promise<void> {
  if (memberId === null) return;
  const member = await first(
    tx.sql,
    'select 1 from members where organization_id = $1 and id = $2 for key share',
    [tx.organizationId, memberId],
  );
  if (member) return;
  throw new AppError('unknown_member', 'There is no such member.', { owner_id: memberId });
}
