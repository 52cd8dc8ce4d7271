import type { Context } from '../../context.ts';
import { assignWaiting, assignWaitingTo } from '../../members/assigning.ts';

interface GivenTo {
  readonly teamId: string | null;
  readonly memberId: string | null;
}

/**
 * Fills the gaps that a reassigned conversation leaves, in the caller's transaction: the team's queue finds a member
 * if none was named, and the previous member, who has room now, gets the next waiting conversation.
 *
 * @param hadIt the previous member, who gets this one again only if nobody else has room
 */
export async function refill(
  tx: Context,
  conversationId: string,
  { teamId, memberId }: GivenTo,
  hadIt: string | null,
): Promise<void> {
  if (memberId === null && teamId !== null)
    await assignWaiting(tx, teamId, { id: conversationId, hadIt });
  if (hadIt !== null && hadIt !== memberId) await assignWaitingTo(tx, hadIt);
}
