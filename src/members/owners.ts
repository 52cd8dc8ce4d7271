import type { Context } from '../context.ts';
import { AppError } from '../errors.ts';
import { keepMember } from './keeping.ts';

/**
 * An owner must be a member of this workspace, and stays it until the transaction ends; a member of another one counts as
 * unknown: 422 `unknown_member`.
 */
export async function requireOwner(tx: Context, memberId: string | null): Promise<void> {
  if (memberId === null || (await keepMember(tx, memberId))) return;
  throw new AppError('unknown_member', 'There is no such member.', { owner_id: memberId });
}
