import { ASKS, hasQueue } from '../automated/answers.ts';

// "Our team answers tomorrow" is no answer, and neither is "I have passed you on" from whoever did; a word of any other
// member is.
const passedOn = (memberId: string): string => `exists (
  select from conversation_activities a
  where a.organization_id = conversations.organization_id and a.conversation_id = conversations.id
    and a.type in ('transferred', 'handed_over') and a.data ->> 'member_id' is null
    and (${memberId}::text is null or a.actor ->> 'id' = ${memberId})
    and a.created_at >= coalesce((
      select s.created_at from messages s
      where s.organization_id = conversations.organization_id and s.conversation_id = conversations.id and ${ASKS}
      order by s.id desc limit 1), '-infinity')
)`;

const waitingWhile = (stillWaits: string): string =>
  `case when assigned_member_id is null and waiting_since is not null and (${stillWaits}) then waiting_since end`;

/**
 * SQL: since when the person of a row of `conversations` waits once we have written there: not any more, unless it was
 * passed to a team since they last wrote and nobody has it.
 *
 * @param memberId SQL: the member who writes; null for keys and the handset
 */
export const waitingAfterOurs = (memberId: string): string => waitingWhile(passedOn(memberId));

/** SQL: the same once an automation has written there, which takes nobody out of the queue of their team either. */
export const WAITING_AFTER_AUTOMATION = waitingWhile(
  `${hasQueue('conversations')} or ${passedOn('null')}`,
);
