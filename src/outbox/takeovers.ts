import type { Context } from '../context.ts';
import { type Ending, endRuns } from './runs.ts';

/**
 * A person has taken a conversation over, in the caller's transaction: the automations that talk in it
 * are handed over from this moment (design decisions §9, Handover). A run that gives it to somebody itself
 * goes on by its own steps.
 *
 * @returns how many runs that were.
 */
export const recordTakeover = (
  tx: Ending & Pick<Context, 'actor'>,
  conversationId: string,
): Promise<number> => {
  const own = tx.actor.type === 'automation' ? tx.actor.run?.id : undefined;
  const where = 'r.conversation_id = $4 and r.id is distinct from $5';
  return endRuns(tx, 'handed_over', { where, params: [conversationId, own ?? null] });
};
