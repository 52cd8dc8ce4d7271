import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import {
  isBackInService,
  type Moved,
  moveNumber,
  type NumberEvent,
  resumeWaiting,
  stopped,
} from '../../numbers/moving.ts';
import { stopsSending } from '../../numbers/states.ts';
import { pauseByItself } from './by-itself.ts';

/**
 * Moves a number as its states allow. If it can no longer send, its campaigns are paused; a person must resume them,
 * because a number that comes back never restarts campaigns (design decisions §8). What else waits for it goes on.
 */
export const changeNumber = (
  ctx: Context,
  numberId: string,
  event: NumberEvent,
): Promise<Moved | null> =>
  transact(ctx, async (tx) => {
    // Campaigns are locked before their number, in the same order as when sending.
    const sending = stopsSending(event.cause) ? await lockSending(tx, numberId) : [];
    const moved = await moveNumber(tx, numberId, event);
    if (moved && isBackInService(moved)) await resumeWaiting(tx, numberId);
    if (!moved || !stopped(moved)) return moved;
    for (const { id } of sending) await pauseByItself(tx, id, 'number_unavailable');
    return moved;
  });

const lockSending = ({ sql, organizationId }: Context, numberId: string) =>
  sql.rows<{ id: string }>(
    `select id from campaigns where organization_id = $1 and number_id = $2 and status = 'sending'
     order by id for update`,
    [organizationId, numberId],
  );
