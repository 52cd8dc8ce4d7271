import type { Happening } from '../../audit/service.ts';
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
 * @returns what the audit log must still record
 */
export async function refill(
  tx: Context,
  { teamId, memberId }: GivenTo,
  hadIt: string | null,
): Promise<Happening[]> {
  const queued = memberId === null && teamId !== null;
  const assigned = queued ? await assignWaiting(tx, teamId) : [];
  const free = hadIt !== null && hadIt !== memberId ? await assignWaitingTo(tx, hadIt) : [];
  return [...assigned, ...free];
}
