import type { Ending } from './runs.ts';

type Whose =
  /** All that automations have yet to say in a conversation. */
  | { readonly conversationId: string }
  /** Only what these runs have, in their conversations. */
  | { readonly runIds: readonly string[]; readonly conversationIds: readonly string[] };

/**
 * Cancels the messages of automations that have not left the queue, in the caller's transaction. One that is locked
 * is being sent.
 */
export async function withdrawAutomated(
  { sql, organizationId }: Pick<Ending, 'sql' | 'organizationId'>,
  whose: Whose,
): Promise<void> {
  const [conversationIds, runIds] =
    'runIds' in whose ? [whose.conversationIds, whose.runIds] : [[whose.conversationId], null];
  if (conversationIds.length === 0) return;
  await sql.rows(WITHDRAW, [organizationId, conversationIds, runIds], 'withdraw-automated');
}

// In the order in which they are sent and settled.
const WITHDRAW = `
with waiting as (
  select m.id from unnest($2::text[]) v (id)
  cross join lateral (select o.message_id from outgoing_messages o
    where o.organization_id = $1 and o.conversation_id = v.id) o
  join messages m on m.organization_id = $1 and m.id = o.message_id
  where m.status = 'queued' and m.source = 'automation' and ($3::text[] is null or m.run_id = any($3::text[]))
  order by m.id for no key update of m skip locked
)
update messages m set status = 'cancelled' from waiting w where m.organization_id = $1 and m.id = w.id`;
