import type { Happening } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { assignWaiting, assignWaitingTo } from '../../members/assigning.ts';

interface GivenTo {
  readonly teamId: string | null;
  readonly memberId: string | null;
}

/**
 * What a conversation that was given to somebody else sets in motion, in the caller's transaction: the team's queue
 * looks for a member where none was named, and whoever had it has room for the next.
 *
 * @returns what the audit log must still be told.
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
