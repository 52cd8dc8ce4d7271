/**
 * If a run is for both contacts, the person gets one message: a pending recipient is passed over if the other one is
 * in the run too.
 */
const onlyOnce = (waiting: string, other: string): string => `
update reminder_recipients r set status = 'skipped', reason = 'no_recipient'
where r.organization_id = $1 and r.contact_id = ${waiting} and r.status = 'pending' and exists (
  select from reminder_recipients s where s.organization_id = $1 and s.reminder_id = r.reminder_id
    and s.scheduled_for = r.scheduled_for and s.contact_id = ${other} and s.status not in ('skipped', 'cancelled'))`;

/**
 * The same where both have a message already: one that waits is withdrawn, as a cancellation does it, if the other one
 * was sent, may have been, or will be. Messages before recipients, in the order in which they are sent and settled.
 */
const sentOnce = (waiting: string, other: string): string => `
with twice as (
  select m.id from reminder_recipients r
  join reminder_recipients s on s.organization_id = $1 and s.reminder_id = r.reminder_id
    and s.scheduled_for = r.scheduled_for and s.contact_id = ${other}
  join messages m on m.organization_id = $1 and m.id = r.message_id and m.status = 'queued'
  join messages n on n.organization_id = $1 and n.id = s.message_id and n.status not in ('failed', 'cancelled')
  where r.organization_id = $1 and r.contact_id = ${waiting} and r.status = 'queued'
  order by m.id for no key update of m
), cleared as (
  update outgoing_messages o set not_before = now() from twice t
  where o.organization_id = $1 and o.message_id = t.id and o.not_before > now()
), withdrawn as (
  update messages m set status = 'cancelled' from twice t
  where m.organization_id = $1 and m.id = t.id and m.status = 'queued' returning m.id
)
update reminder_recipients r set status = 'skipped', reason = 'no_recipient' from withdrawn w
where r.organization_id = $1 and r.contact_id = ${waiting} and r.message_id = w.id`;

/**
 * Two contacts become one: $2 survives, $3 is deleted. If either had this year's birthday message, the survivor gets
 * no second one, and a run that both are in writes to the person once.
 */
export const MERGE_REMINDED: readonly string[] = [
  onlyOnce('$3', '$2'),
  onlyOnce('$2', '$3'),
  sentOnce('$3', '$2'),
  sentOnce('$2', '$3'),
  `update reminder_recipients r set contact_id = $2, recipient_key = case
     when r.recipient_key <> $3 or exists (
       select from reminder_recipients s where s.organization_id = $1 and s.reminder_id = r.reminder_id
         and s.recipient_key = $2 and (s.scheduled_for = r.scheduled_for or s.local_year = r.local_year))
     then r.recipient_key else $2 end
   where r.organization_id = $1 and r.contact_id = $3`,
];
