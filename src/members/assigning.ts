import { signatureOf, system } from '../access/actor.ts';
import { auditAll } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { advisoryLock } from '../db/advisory-locks.ts';
import { transact } from '../db/transact.ts';
import { newId } from '../ids.ts';

type Tx = Pick<Context, 'sql' | 'organizationId' | 'now' | 'locked'>;

/**
 * Only one transaction of a workspace at a time assigns conversations, so that no conversation goes to two members
 * and no one exceeds their capacity. Whoever has this lock waits for no row; it ends with the commit.
 */
export async function lockAssignments({ sql, organizationId, locked }: Tx): Promise<void> {
  await advisoryLock(sql, 'assignments', organizationId);
  locked?.add('assignments');
}

/** Whether the transaction has that lock, so that whatever waits for a row belongs into the next one. */
export const isAssigning = ({ locked }: Pick<Context, 'locked'>): boolean =>
  locked?.has('assignments') ?? false;

interface Waiting {
  readonly id: string;
}

/** A conversation that was passed on, and who had it. */
interface PassedOn extends Waiting {
  readonly hadIt: string | null;
}

interface Free {
  readonly id: string;
  readonly name: string;
  room: number;
}

/** SQL: whether member `m` can answer, so that conversations may go to them. */
export const CAN_ANSWER = "m.status = 'active' and m.role <> 'viewer'";

const AT_ONCE = 500;

/**
 * Assigns the team's waiting conversations, oldest first, to the online members with the most room (design decisions
 * §13). Does nothing for a team without a queue, and in a simulation, whose person no one is to answer.
 *
 * @param passedOn goes to others first, and back only if none of them has room
 * @returns how many were assigned
 */
export async function assignWaiting(
  tx: Context,
  teamId: string,
  passedOn?: PassedOn,
): Promise<number> {
  const { sql, organizationId, now, simulated } = tx;
  if (simulated) return 0;
  const [team] = await sql.rows(
    'select 1 from teams where organization_id = $1 and id = $2 and auto_assign',
    [organizationId, teamId],
  );
  if (!team) return 0;
  await lockAssignments(tx);
  const free = await freeMembers(tx, teamId);
  if (free.length === 0) return 0;
  const waiting = await sql.rows<Waiting>(
    `select id from conversations
     where organization_id = $1 and assigned_team_id = $2 and status = 'open' and assigned_member_id is null
       and waiting_since is not null and (snoozed_until is null or snoozed_until <= $3)
     order by waiting_since, id limit ${AT_ONCE} for update skip locked`,
    [organizationId, teamId, now],
  );
  const given: { conversationId: string; member: Free }[] = [];
  for (const { id } of waiting) {
    const not = id === passedOn?.id ? passedOn.hadIt : null;
    const member = mostRoom(free.filter((one) => one.id !== not)) ?? mostRoom(free);
    if (!member) break;
    member.room -= 1;
    given.push({ conversationId: id, member });
  }
  await give(tx, teamId, given);
  await auditAll(
    tx,
    given.map(({ conversationId, member }) => ({
      action: 'conversation.assigned',
      target: { type: 'conversation', id: conversationId, name: '' },
      changes: [{ field: 'assigned_member_id', from: null, to: member.id }],
    })),
  );
  return given.length;
}

/** Assigns what waits in every team of a member who has room: who came online, may have more, or closed a conversation. */
export async function assignWaitingTo(tx: Context, memberId: string): Promise<void> {
  const teams = await tx.sql.rows<{ id: string }>(
    'select team_id as id from team_members where organization_id = $1 and member_id = $2 order by team_id',
    [tx.organizationId, memberId],
  );
  await assignInEach(
    tx,
    teams.map(({ id }) => id),
  );
}

/** `assignWaitingTo` in a transaction of its own, for those who have changed the member: their lock on the row has to end first. */
export const fillRoom = (ctx: Context, memberId: string): Promise<void> =>
  transact(ctx, (tx) => assignWaitingTo(tx, memberId));

/** Assigns what waits in some teams, one after the other. */
export async function assignInEach(tx: Context, teams: readonly string[]): Promise<number> {
  let assigned = 0;
  for (const id of teams) assigned += await assignWaiting(tx, id);
  return assigned;
}

/**
 * Members of a team who are online, each with the room they have left, which may be none. They stay until the commit;
 * who is being changed or removed at this moment is passed over.
 */
export const freeMembers = ({ sql, organizationId, now }: Tx, teamId: string): Promise<Free[]> =>
  sql.rows(
    `select m.id, m.name, m.capacity - (select count(*) from conversations c
         where c.organization_id = $1 and c.assigned_member_id = m.id and c.status = 'open') as room
     from team_members t join members m on m.organization_id = $1 and m.id = t.member_id
     where t.organization_id = $1 and t.team_id = $2 and ${CAN_ANSWER}
       and m.online_until > $3
     order by m.id for key share of m skip locked`,
    [organizationId, teamId, now],
  );

/** The member with the most room; null if no one has any. */
export const mostRoom = (members: readonly Free[]): Free | null => {
  const best = members.reduce<Free | null>(
    (found, member) => (found === null || member.room > found.room ? member : found),
    null,
  );
  return best && best.room > 0 ? best : null;
};

async function give(
  { sql, organizationId, now }: Tx,
  teamId: string,
  given: readonly { readonly conversationId: string; readonly member: Free }[],
): Promise<void> {
  if (given.length === 0) return;
  const ids = given.map(({ conversationId }) => conversationId);
  const members = given.map(({ member }) => member.id);
  await sql.rows(
    `update conversations c set assigned_member_id = g.member_id, updated_at = $4
     from unnest($2::text[], $3::text[]) g (id, member_id) where c.organization_id = $1 and c.id = g.id`,
    [organizationId, ids, members, now],
  );
  await sql.rows(
    `insert into conversation_activities (organization_id, id, conversation_id, type, data, actor, created_at)
     select $1, g.id, g.conversation_id, 'assigned', jsonb_build_object('team_id', $5::text, 'member_id', g.member_id), $6, $7
     from unnest($2::text[], $3::text[], $4::text[]) g (id, conversation_id, member_id)`,
    [
      organizationId,
      ids.map(() => newId('act')),
      ids,
      members,
      teamId,
      JSON.stringify(signatureOf(system('assignment queue'))),
      now,
    ],
  );
}
