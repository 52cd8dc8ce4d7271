import type { ReadContext } from '../context.ts';

// A conversation locked by someone else is being written in, and that transaction sets who has it.
const LEAVE = `
update conversations set handled_by = 'none', updated_at = $3 where organization_id = $1 and id in (
  select v.id from conversations v
  where v.organization_id = $1 and v.id = any($2::text[]) and v.handled_by in ('automation', 'ai') and not exists (
    select from automation_runs r
    where r.organization_id = $1 and r.conversation_id = v.id and r.status in ('running', 'waiting'))
  for no key update of v skip locked)`;

/**
 * Ends the hold of just-ended runs on their conversations, in the caller's transaction: if no other run is active
 * there, automations no longer have the conversation.
 */
export async function leaveConversations(
  { sql, organizationId, now }: Pick<ReadContext, 'sql' | 'organizationId' | 'now'>,
  conversationIds: readonly (string | null)[],
): Promise<void> {
  const ids = conversationIds.filter((id) => id !== null);
  if (ids.length > 0) await sql.rows(LEAVE, [organizationId, ids, now], 'leave-conversations');
}
