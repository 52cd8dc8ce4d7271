import { audit } from '../../audit/service.ts';
import { recordTakeover } from '../../automated/takeovers.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { notFound } from '../../errors.ts';
import { CAN_ANSWER } from '../../members/assigning.ts';
import { keepMember } from '../../members/keeping.ts';
import { noteActivity } from '../activities.ts';
import type { ConversationRow } from '../present.ts';
import { lockConversation } from '../queries.ts';
import { refill } from './refilling.ts';

/** Who is to get it, and what they should know. */
export interface HandOver {
  readonly teamId: string | null;
  readonly memberId: string | null;
  /** At most 1000 characters; "" for none. */
  readonly note: string;
}

/** Who has it now; both null if no one does. */
export interface Place {
  readonly teamId: string | null;
  readonly memberId: string | null;
}

/**
 * Hands a conversation over from automations to people, in the caller's transaction: it is reopened if it was closed,
 * marked as waiting for an answer, and gets an activity with the note. Every run that talks in it ends as handed
 * over. A team or member that no longer exists is passed over; if neither exists, the assignment stays as it is.
 *
 * @throws not_found when there is no such conversation
 */
export async function handOver(
  tx: Context,
  conversationId: string,
  { teamId, memberId, note }: HandOver,
): Promise<Place> {
  // Somebody who is suspended at this moment is seen as such. Before the conversation, as when members are removed.
  if (memberId !== null) await keepMember(tx, memberId);
  const before = await lockConversation(tx, conversationId);
  if (!before) throw notFound('conversation');
  const place = await placeFor(tx, before, { teamId, memberId });
  await tx.sql.rows(GIVE, [
    tx.organizationId,
    conversationId,
    place.teamId,
    place.memberId,
    tx.now,
  ]);
  if (before.status === 'closed') await noteActivity(tx, conversationId, 'reopened', {});
  const data = { team_id: place.teamId, member_id: place.memberId, note };
  await noteActivity(tx, conversationId, 'handed_over', data);
  await recordTakeover(tx, conversationId);
  await audit(tx, {
    action: 'conversation.transferred',
    target: { type: 'conversation', id: conversationId, name: '' },
    changes: [
      { field: 'assigned_team_id', from: before.assignedTeamId, to: place.teamId },
      { field: 'assigned_member_id', from: before.assignedMemberId, to: place.memberId },
    ],
  });
  await refill(tx, conversationId, place, before.assignedMemberId);
  return place;
}

// From here on automations stay out of it, as if a person had written.
const GIVE = `
update conversations set assigned_team_id = $3, assigned_member_id = $4, handled_by = 'member', snoozed_until = null,
  waiting_since = coalesce(waiting_since, $5), updated_at = $5, closed_at = null, status = 'open',
  opened_at = case when status = 'closed' then $5 else opened_at end
where organization_id = $1 and id = $2`;

// A member given without a team gets it in its current team if they belong to it, otherwise in one of theirs.
const KNOWN = `
select t.id as "teamId", m.id as "memberId", (
  select k.team_id from team_members k where k.organization_id = $1 and k.member_id = m.id
  order by k.team_id <> coalesce($4, ''), k.team_id limit 1) as "ownTeamId"
from (select 1) one
left join teams t on t.organization_id = $1 and t.id = $2
left join members m on m.organization_id = $1 and m.id = $3 and ${CAN_ANSWER}
  and (t.id is null or exists (select from team_members k
    where k.organization_id = $1 and k.team_id = t.id and k.member_id = m.id))`;

async function placeFor(
  { sql, organizationId }: Context,
  { assignedTeamId, assignedMemberId }: ConversationRow,
  { teamId, memberId }: Place,
): Promise<Place> {
  const params = [organizationId, teamId, memberId, assignedTeamId];
  const known = await first<Place & { ownTeamId: string | null }>(sql, KNOWN, params);
  if (known?.memberId) return { teamId: known.teamId ?? known.ownTeamId, memberId: known.memberId };
  if (known?.teamId) return { teamId: known.teamId, memberId: null };
  return { teamId: assignedTeamId, memberId: assignedMemberId };
}
