import { system } from '../../access/actor.ts';
import { haltNumber, pauseByItself } from '../../campaigns/states/by-itself.ts';
import type { Context } from '../../context.ts';
import type { StatusChange } from '../../conversations/receiving/statuses.ts';
import type { Clock } from '../../db/clock.ts';
import { type ContextParts, createContext } from '../../db/contexts.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { haltOf } from '../../gateway/cloud-api/classify.ts';
import { STAMP_MS } from '../../gateway/port.ts';
import type { NumberOwner } from '../queries.ts';

/** WhatsApp repeats webhooks for days. */
const NEWS_FOR_MS = 10 * 60_000;

/** Whether what happened then still calls for something. */
export const isNews = (at: Date, now: Date): boolean => now.getTime() - at.getTime() <= NEWS_FOR_MS;

/**
 * WhatsApp may accept a message and report only later that the sender must stop. What stops a campaign, or its whole
 * number, in the answer to a send does the same in a report (design decisions §22), unless it has been resumed or
 * connected since.
 */
export async function stopWhatFailed(
  parts: ContextParts & { readonly clock: Clock },
  { organizationId, numberId }: Pick<NumberOwner, 'organizationId' | 'numberId'>,
  changes: readonly StatusChange[],
): Promise<void> {
  const now = parts.clock.now();
  const ctx = createContext(parts, { organizationId, actor: system('WhatsApp'), now });
  const recent = changes.filter(({ at }) => isNews(at, now));
  const stopped = new Set<string>();
  for (const { campaignId, code, at } of recent) {
    const cause = code === null ? null : haltOf(code);
    const place = cause === 'spam_limit' ? campaignId : numberId;
    if (!cause || !place || stopped.has(place) || (await isPast(ctx, cause, place, at))) continue;
    stopped.add(place);
    if (cause === 'spam_limit') await pauseByItself(ctx, place, cause);
    else await haltNumber(ctx, numberId, cause, code ?? 0);
  }
}

type Cause = NonNullable<ReturnType<typeof haltOf>>;

const RUNNING_SINCE =
  'select running_since as since from campaigns where organization_id = $1 and id = $2';
const CHANGED_AT =
  'select status_changed_at as since from numbers where organization_id = $1 and id = $2';

/** Whether the campaign or number has changed since: a person has set it going again, or something else has stopped it. */
const isPast = (ctx: Context, cause: Cause, id: string, at: Date): Promise<boolean> =>
  transact(ctx, async ({ sql, organizationId }) => {
    const select = cause === 'spam_limit' ? RUNNING_SINCE : CHANGED_AT;
    const row = await first<{ since: Date | null }>(sql, select, [organizationId, id]);
    return !!row?.since && at.getTime() + STAMP_MS <= row.since.getTime();
  });
