import type { Context } from '../context.ts';
import { type Ending, endRuns } from './runs.ts';

/**
 * A person has taken over a conversation: the automations active in it are handed over, in the caller's transaction
 * (design decisions §9, Handover). A run that assigns the conversation itself continues with its own steps.
 *
 * @returns how many runs
 */
export const recordTakeover = (
  tx: Ending & Pick<Context, 'actor'>,
  conversationId: string,
): Promise<number> => {
  const own = tx.actor.type === 'automation' ? tx.actor.run?.id : undefined;
  const where = 'r.conversation_id = $4 and r.id is distinct from $5';
  return endRuns(tx, 'handed_over', { where, params: [conversationId, own ?? null] });
};
