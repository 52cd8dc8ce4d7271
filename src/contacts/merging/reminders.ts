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
 * Two contacts become one: $2 survives, $3 is deleted. If either had this year's birthday message, the survivor gets
 * no second one, and a run that both are in writes to the person once.
 */
export const MERGE_REMINDED: readonly string[] = [
  onlyOnce('$3', '$2'),
  onlyOnce('$2', '$3'),
  `update reminder_recipients r set contact_id = $2, recipient_key = case
     when r.recipient_key <> $3 or exists (
       select from reminder_recipients s where s.organization_id = $1 and s.reminder_id = r.reminder_id
         and s.recipient_key = $2 and (s.scheduled_for = r.scheduled_for or s.local_year = r.local_year))
     then r.recipient_key else $2 end
   where r.organization_id = $1 and r.contact_id = $3`,
];
