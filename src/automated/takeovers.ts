import type { Context } from '../context.ts';
import { endRuns } from './runs.ts';
import { type Ending, withdrawAutomated } from './withdrawing.ts';

/**
 * A person has taken over a conversation: the automations active in it are handed over, in the caller's transaction
 * (design decisions §9, Handover), and what automations have yet to say there is not sent. A run that assigns the
 * conversation itself continues with its own steps, and what was said before it does so is still sent.
 *
 * @returns how many runs
 */
export async function recordTakeover(
  tx: Ending & Pick<Context, 'actor'>,
  conversationId: string,
): Promise<number> {
  const { actor } = tx;
  const own = actor.type === 'automation' ? actor.run?.id : undefined;
  const where = 'r.conversation_id = $4 and r.id is distinct from $5';
  const ended = await endRuns(tx, 'handed_over', { where, params: [conversationId, own ?? null] });
  // Afterwards: a step that was being taken may have said something.
  if (actor.type !== 'automation') await withdrawAutomated(tx, { conversationId });
  return ended;
}
