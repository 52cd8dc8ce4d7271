import {
  requireFullVisibility,
  restrictedMember,
  visibleConversations,
} from '../access/visibility.ts';
import type { ReadContext } from '../context.ts';
import { binding, first } from '../db/sql.ts';

const UNSEEN =
  'There are conversations with this person that you do not see. Only somebody who sees all of them may delete the contact or merge it with another.';

/**
 * 403 for a member who does not see all conversations of the contacts. Deleting a contact takes them along, and merging
 * two shows the messages of both to whoever sees the conversation that theirs become. `details.contact_id` is the last.
 */
export async function requireVisible(
  { sql, organizationId, actor }: ReadContext,
  ...contactIds: readonly string[]
): Promise<void> {
  if (!restrictedMember(actor)) return;
  const { params, bind } = binding(organizationId, contactIds);
  const seen = visibleConversations(actor, 'v', bind);
  const hidden = await first(
    sql,
    `select 1 from conversations v
     where v.organization_id = $1 and v.contact_id = any($2) and (${seen}) is not true limit 1`,
    params,
  );
  if (hidden) requireFullVisibility(actor, UNSEEN, { contact_id: contactIds.at(-1) ?? '' });
}
