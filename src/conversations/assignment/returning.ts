import { system } from '../../access/actor.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import type { ContextFor } from '../../db/contexts.ts';
import type { Database } from '../../db/database.ts';
import type { Sweep } from '../../db/sweeping.ts';
import { transact } from '../../db/transact.ts';
import { workspacesAfter } from '../../db/workspaces.ts';
import { assignInEach, freeMembers, lockAssignments, mostRoom } from '../../members/assigning.ts';
import { LEFT_BEHIND, unassignRest } from '../../members/unassigning.ts';
import { noteActivity } from '../activities.ts';
import { type Returned, returnStep } from '../rules.ts';

const HAVING = {
  table: `(select organization_id from teams where auto_assign or return_after_minutes is not null
    union all ${LEFT_BEHIND}) tended`,
  where: 'true',
};
const PAGE = 20;

/**
 * Runs each minute for teams with a return timer (design decisions §13): a conversation that its member does not
 * answer moves on. It also assigns what waits in the queues, which catches causes that no event brings, such as a
 * lost answer. And in all workspaces it takes what is left with people who can answer no more.
 */
export const assignmentsTending = (
  database: Pick<Database, 'system'>,
  contextFor: ContextFor,
): Sweep => ({
  page: (after) => workspacesAfter(database, after, HAVING),
  tend: (organizationId) =>
    transact(contextFor(organizationId, system('assignment queue')), async (tx) => {
      const taken = await unassignRest(tx);
      if (taken > 0) return taken;
      // Taken before looking: a concurrent assignment is either visible or waited for.
      await lockAssignments(tx);
      const returned = await returnPage(tx);
      return returned > 0 ? returned : assignAll(tx);
    }),
});

interface Due extends Returned {
  readonly id: string;
  readonly teamId: string;
  readonly memberId: string | null;
}

/**
 * The activities since the person began to wait show how far the round has come. A transfer or a handover starts a new
 * round; so does an alert, once somebody gets the conversation after it.
 */
const DUE = `select c.id, c.assigned_team_id as "teamId", c.assigned_member_id as "memberId",
    c.assigned_member_id is not null as "hasMember", r.to_member > r.begun as "toMember", r.to_team > r.begun as "toTeam"
  from conversations c
  join teams t on t.organization_id = $1 and t.id = c.assigned_team_id and t.return_after_minutes is not null
  cross join lateral (
    select max(a.created_at) filter (where a.type <> 'unanswered') as moved_at,
      coalesce(max(a.id) filter (where a.type in ('transferred', 'handed_over', 'unanswered')), '') as begun,
      coalesce(max(a.id) filter (where a.type = 'returned' and a.data ->> 'member_id' is not null), '') as to_member,
      coalesce(max(a.id) filter (where a.type = 'returned' and a.data ->> 'member_id' is null), '') as to_team,
      max(a.id) filter (where a.type in ('transferred', 'handed_over', 'assigned')) as given,
      max(a.id) filter (where a.type = 'unanswered') as alerted
    from conversation_activities a
    where a.organization_id = $1 and a.conversation_id = c.id and a.created_at >= c.waiting_since
      and a.type in ('assigned', 'transferred', 'handed_over', 'returned', 'unanswered')) r
  where c.organization_id = $1 and c.status = 'open' and c.waiting_since is not null
    and (c.snoozed_until is null or c.snoozed_until <= $2)
    and greatest(c.waiting_since, r.moved_at) <= $2::timestamptz - make_interval(mins => t.return_after_minutes)
    and (r.alerted is null or r.given > r.alerted)`;
const FIND = `${DUE} order by c.waiting_since, c.id limit ${PAGE} for update of c skip locked`;
const STILL = `${DUE} and c.id = any($3) order by c.waiting_since, c.id`;

async function returnPage(tx: Context): Promise<number> {
  const params = [tx.organizationId, tx.now];
  const found = await tx.sql.rows<Due>(FIND, params);
  if (found.length === 0) return 0;
  // Asked again, for what was transferred before the locks.
  const due = await tx.sql.rows<Due>(STILL, [...params, found.map(({ id }) => id)]);
  for (const conversation of due) await goOn(tx, conversation);
  return found.length;
}

async function goOn(tx: Context, due: Due): Promise<void> {
  const step = returnStep(due);
  const { id, teamId, memberId } = due;
  if (step === 'alert') {
    await noteActivity(tx, id, 'unanswered', { team_id: teamId, member_id: memberId });
    return;
  }
  const next = step === 'next_member' ? await nextMember(tx, teamId, memberId) : null;
  await tx.sql.rows(
    'update conversations set assigned_member_id = $3, updated_at = $4 where organization_id = $1 and id = $2',
    [tx.organizationId, id, next, tx.now],
  );
  await noteActivity(tx, id, 'returned', { team_id: teamId, member_id: next });
  const changes = [{ field: 'assigned_member_id', from: memberId, to: next }];
  const target = { type: 'conversation', id, name: '' };
  await audit(tx, { action: 'conversation.returned', target, changes });
}

async function nextMember(
  tx: Context,
  teamId: string,
  memberId: string | null,
): Promise<string | null> {
  const others = (await freeMembers(tx, teamId)).filter(({ id }) => id !== memberId);
  return mostRoom(others)?.id ?? null;
}

async function assignAll(tx: Context): Promise<number> {
  const teams = await tx.sql.rows<{ id: string }>(
    `select t.id from teams t where t.organization_id = $1 and t.auto_assign and exists (
       select 1 from conversations c
       where c.organization_id = $1 and c.assigned_team_id = t.id and c.status = 'open'
         and c.assigned_member_id is null and c.waiting_since is not null)
     order by t.id`,
    [tx.organizationId],
  );
  return assignInEach(
    tx,
    teams.map(({ id }) => id),
  );
}
