/**
 * Of a contact that goes, $2: what was counted in runs of reminders stays, without saying who it was. Whoever
 * has not got it yet is passed over.
 */
export const FORGET_REMINDED = `
update reminder_recipients set contact_id = null,
  status = case when status in ('pending', 'queued') then 'skipped' else status end,
  reason = case when status in ('pending', 'queued') then 'no_recipient' else reason end
where organization_id = $1 and contact_id = $2`;

/** Of a run that is for both, the person gets one message: who still waits is passed over where the other is in too. */
const onlyOnce = (waiting: string, other: string): string => `
update reminder_recipients r set status = 'skipped', reason = 'no_recipient'
where r.organization_id = $1 and r.contact_id = ${waiting} and r.status = 'pending' and exists (
  select from reminder_recipients s where s.organization_id = $1 and s.reminder_id = r.reminder_id
    and s.scheduled_for = r.scheduled_for and s.contact_id = ${other} and s.status not in ('skipped', 'cancelled'))`;

/**
 * Two contacts become one: $2 stays, $3 goes. A birthday that either was congratulated on this year is not
 * kept again, and a run that either is in writes to the person once.
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
