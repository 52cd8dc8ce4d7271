import { system } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import { recordTakeover } from '../../automated/takeovers.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { AppError, notFound } from '../../errors.ts';
import { CAN_ANSWER } from '../../members/assigning.ts';
import { keepTeams } from '../../members/keeping.ts';
import { noteActivity } from '../activities.ts';
import { type ConversationRow, presentConversation } from '../present.ts';
import { conversationById, lockConversation } from '../queries.ts';
import type { ConversationView, Transfer } from '../schema.ts';
import { refill } from './refilling.ts';

/**
 * Assigns a conversation to a team, and to one of its members or to no one yet; its status stays. While it is open and
 * no one has it, its person waits for somebody of the team, even if they were just told so. Throws 404 for a
 * conversation the actor cannot see, 422 `unknown_team` and `member_not_in_team`.
 */
export const transferConversation = (
  ctx: Context,
  id: string,
  to: Transfer,
): Promise<ConversationView> =>
  transact(ctx, async (tx) => {
    const teamId = to.team_id;
    const memberId = to.member_id ?? null;
    const before = await lockForTransfer(tx, id, to);
    await tx.sql.rows(
      `update conversations set assigned_team_id = $3, assigned_member_id = $4, updated_at = $5,
         handled_by = case when $4::text is not null then 'member' else handled_by end,
         waiting_since = case when $4::text is null and status = 'open' then coalesce(waiting_since, $5)
           else waiting_since end
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, teamId, memberId, tx.now],
    );
    await noteActivity(tx, id, 'transferred', { team_id: teamId, member_id: memberId });
    // Automations keep talking until a person has the conversation.
    if (memberId !== null) await recordTakeover(tx, id);
    await audit(tx, {
      action: 'conversation.transferred',
      target: { type: 'conversation', id, name: '' },
      changes: [
        { field: 'assigned_team_id', from: before.assignedTeamId, to: teamId },
        { field: 'assigned_member_id', from: before.assignedMemberId, to: memberId },
      ],
    });
    await refill(tx, id, { teamId, memberId }, before.assignedMemberId);
    // The caller may no longer see the conversation after giving it away, but still gets it as the answer.
    const row = await conversationById({ ...tx, actor: system('transfer') }, id);
    if (!row) throw notFound('conversation');
    return presentConversation(row, tx);
  });

/**
 * The conversation as it is before, which nobody changes any more. Team and member are locked before it, as when they are
 * removed. Throws as `transferConversation` does.
 */
export async function lockForTransfer(
  ctx: Context,
  id: string,
  to: Transfer,
): Promise<ConversationRow> {
  const problem = await problemWith(ctx, to.team_id, to.member_id ?? null);
  const before = await lockConversation(ctx, id);
  if (!before) throw notFound('conversation');
  if (problem) throw problem;
  return before;
}

async function problemWith(
  ctx: Context,
  teamId: string,
  memberId: string | null,
): Promise<AppError | null> {
  if (!(await keepTeams(ctx, [teamId])).has(teamId))
    return new AppError('unknown_team', 'There is no such team.', { team_id: teamId });
  const params = [ctx.organizationId, teamId, memberId];
  if (memberId === null || (await first(ctx.sql, MEMBER_OF, params))) return null;
  const details = { team_id: teamId, member_id: memberId };
  return new AppError('member_not_in_team', 'The team has no such member.', details);
}

// Waits for whoever suspends the member at this moment, and keeps them from it until the commit.
const MEMBER_OF = `
select 1 from team_members t join members m on m.organization_id = $1 and m.id = t.member_id
where t.organization_id = $1 and t.team_id = $2 and t.member_id = $3 and ${CAN_ANSWER}
for key share of m`;
