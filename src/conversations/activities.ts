import { signatureOf } from '../access/actor.ts';
import type { Context } from '../context.ts';
import { newId } from '../ids.ts';

/** What can happen in a conversation beside its messages. */
interface Activities {
  /** To a team, and to one of its members or to no one yet. */
  transferred: { team_id: string; member_id: string | null };
  /** By the team's queue. */
  assigned: { team_id: string; member_id: string };
  /** No one answered in time: to the next member, or back to the team without a member. */
  returned: { team_id: string; member_id: string | null };
  /** The next member or the team did not answer either: an alert. */
  unanswered: { team_id: string; member_id: string | null };
  /** By an automation, to people. */
  handed_over: { team_id: string | null; member_id: string | null; note: string };
  /** The person came to write by an ad, a post or a product. */
  referred: { note: string };
  closed: Record<string, never>;
  reopened: Record<string, never>;
}

/** Appends a line to what happened in a conversation, in the caller's transaction. */
export async function noteActivity<T extends keyof Activities>(
  { sql, organizationId, actor, now }: Pick<Context, 'sql' | 'organizationId' | 'actor' | 'now'>,
  conversationId: string,
  type: T,
  data: Activities[T],
): Promise<void> {
  await sql.rows(
    `insert into conversation_activities (organization_id, id, conversation_id, type, data, actor, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      organizationId,
      newId('act'),
      conversationId,
      type,
      JSON.stringify(data),
      JSON.stringify(signatureOf(actor)),
      now,
    ],
  );
}
