import { system } from '../../access/actor.ts';
import { haltNumber, pauseByItself } from '../../campaigns/states/by-itself.ts';
import type { StatusChange } from '../../conversations/receiving/statuses.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { haltOf } from '../../gateway/cloud-api/classify.ts';
import type { NumberOwner } from '../queries.ts';

/** WhatsApp repeats webhooks for days: an old one must not stop what a person has resumed since. */
const NEWS_FOR_MS = 10 * 60_000;

/**
 * WhatsApp may accept a message and report only later that the sender must stop. What stops a campaign, or its whole
 * number, in the answer to a send does the same in a report (design decisions §22).
 */
export async function stopWhatFailed(
  parts: ContextParts & { readonly clock: Clock },
  { organizationId, numberId }: Pick<NumberOwner, 'organizationId' | 'numberId'>,
  changes: readonly StatusChange[],
): Promise<void> {
  const now = parts.clock.now();
  const ctx = createContext(parts, { organizationId, actor: system('WhatsApp'), now });
  const stopped = new Set<string>();
  for (const { campaignId, code, at } of changes) {
    const cause = code === null ? null : haltOf(code);
    const place = cause === 'spam_limit' ? campaignId : numberId;
    if (!cause || !place || stopped.has(place) || now.getTime() - at.getTime() > NEWS_FOR_MS)
      continue;
    stopped.add(place);
    if (cause === 'spam_limit') await pauseByItself(ctx, place, cause);
    else await haltNumber(ctx, numberId, cause, code ?? 0);
  }
}
