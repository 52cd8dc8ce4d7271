import { unwritten } from '../../automated/answers.ts';
import type { Context } from '../../context.ts';
import { mergeAudiences } from './audiences.ts';
import { MERGE_REMINDED } from './reminders.ts';

/** Everything that refers to the other contact refers to the survivor `id` afterwards. In the caller's transaction. */
export async function moveEverything(tx: Context, id: string, otherId: string): Promise<void> {
  const params = [tx.organizationId, id, otherId];
  for (const statement of MOVES)
    await tx.sql.rows(statement, statement.includes('$4') ? [...params, tx.now] : params);
  await mergeAudiences(tx, id, otherId);
  // In the turn that this takes: a page of whom a reminder is for is written down before, or sees them as they are then.
  for (const statement of MERGE_REMINDED) await tx.sql.rows(statement, params);
}

/**
 * Pairs of conversations that both contacts have on the same number: the other's messages move into the survivor's.
 */
const PAIRS = `
  select o.id as other, s.id as own from conversations o
  join conversations s on s.organization_id = o.organization_id and s.number_id = o.number_id and s.contact_id = $2
  where o.organization_id = $1 and o.contact_id = $3`;

/**
 * The conversation that a row of the other contact belongs to afterwards: its own, or the survivor's on the same
 * number.
 */
const placeOf = (alias: string): string =>
  `coalesce((select p.own from (${PAIRS}) p where p.other = ${alias}.conversation_id), ${alias}.conversation_id)`;

const OTHERS =
  '(select v.id from conversations v where v.organization_id = $1 and v.contact_id = $3)';

/**
 * $2 is the survivor, $3 the other contact, $4 now. References to conversations come before the conversations
 * themselves.
 */
const MOVES = [
  `update media f set conversation_id = p.own
   from (${PAIRS}) p join messages m on m.organization_id = $1 and m.conversation_id = p.other
   where f.organization_id = $1 and f.id = m.media_id and f.conversation_id = p.other`,
  `update messages m set conversation_id = ${placeOf('m')}, contact_id = $2
   where m.organization_id = $1 and m.conversation_id in ${OTHERS}`,
  `update outgoing_messages q set conversation_id = ${placeOf('q')}
   where q.organization_id = $1 and q.conversation_id in ${OTHERS}`,
  `update conversation_activities a set conversation_id = ${placeOf('a')}
   where a.organization_id = $1 and a.conversation_id in ${OTHERS}`,
  // Days of reports that are not counted anew would keep a conversation that is gone beside the one it became.
  `update report_conversation_days d set conversation_id = p.own from (${PAIRS}) p
   where d.organization_id = $1 and d.conversation_id = p.other`,
  `update deals d set contact_id = $2, conversation_id = ${placeOf('d')}, updated_at = $4
   where d.organization_id = $1 and d.contact_id = $3`,
  `update automation_runs r set contact_id = $2, conversation_id = ${placeOf('r')}
   where r.organization_id = $1 and r.contact_id = $3`,
  `update automation_triggers r set contact_id = $2, conversation_id = ${placeOf('r')}
   where r.organization_id = $1 and r.contact_id = $3`,
  // The people of one, never a member of one with the team of the other: of the open one before the closed one.
  `update conversations s set
     status = case when 'open' in (s.status, o.status) then 'open' else s.status end,
     closed_at = case when 'open' in (s.status, o.status) then null else greatest(s.closed_at, o.closed_at) end,
     opened_at = case when s.status = o.status then least(s.opened_at, o.opened_at)
       when s.status = 'open' then s.opened_at else o.opened_at end,
     unread = s.unread + o.unread,
     (assigned_team_id, assigned_member_id) = (
       select a.assigned_team_id, a.assigned_member_id from conversations a
       where a.organization_id = $1 and a.id in (s.id, o.id)
       order by a.assigned_team_id is null and a.assigned_member_id is null, a.status = 'closed', a.id <> s.id limit 1),
     handled_by = case when 'member' in (s.handled_by, o.handled_by) then 'member'
       when s.handled_by = 'none' then o.handled_by else s.handled_by end,
     last_message_at = greatest(s.last_message_at, o.last_message_at),
     last_outbound_at = greatest(s.last_outbound_at, o.last_outbound_at),
     wrote_from = case when o.window_expires_at > coalesce(s.window_expires_at, '-infinity')
       then o.wrote_from else s.wrote_from end,
     window_expires_at = greatest(s.window_expires_at, o.window_expires_at),
     unwritten_until = case when ${unwritten('s')} and ${unwritten('o')}
       then greatest(s.window_expires_at, o.window_expires_at) end,
     waiting_since = least(s.waiting_since, o.waiting_since), updated_at = $4,
     silenced_through = greatest(s.silenced_through, o.silenced_through)
   from (${PAIRS}) p join conversations o on o.organization_id = $1 and o.id = p.other
   where s.organization_id = $1 and s.id = p.own`,
  `delete from conversations o using (${PAIRS}) p
   where o.organization_id = $1 and o.id = p.other`,
  `update conversations v set contact_id = $2, updated_at = $4
   where v.organization_id = $1 and v.contact_id = $3`,
  `update reminders set contact_id = $2, updated_at = $4 where organization_id = $1 and contact_id = $3`,
  `update form_submissions set contact_id = case when contact_id = $3 then $2 else contact_id end,
     conflict_contact_id = case when contact_id in ($2, $3) and conflict_contact_id in ($2, $3) then null
       when conflict_contact_id = $3 then $2 else conflict_contact_id end
   where organization_id = $1 and $3 in (contact_id, conflict_contact_id)`,
  // Whoever was in a segment does not enter it again; where leaving counts, the next look remembers who is in it.
  `insert into automation_segment_members (organization_id, automation_id, contact_id)
   select $1, m.automation_id, $2 from automation_segment_members m
   join automations a on a.organization_id = $1 and a.id = m.automation_id and a.trigger_type = 'segment_entered'
   where m.organization_id = $1 and m.contact_id = $3
   on conflict do nothing`,
  // Whoever was new to a number stays counted, as one person if both were.
  `update first_contacts f set contact_id = $2 where organization_id = $1 and contact_id = $3 and not exists (
     select from first_contacts s where s.organization_id = $1 and s.number_id = f.number_id and s.contact_id = $2)`,
  `update merged_contacts set contact_id = $2 where organization_id = $1 and contact_id = $3`,
  `insert into merged_contacts (organization_id, id, contact_id) values ($1, $3, $2)`,
];
