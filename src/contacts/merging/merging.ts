import { changesBetween } from '../../audit/rules.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { transactAgain } from '../../db/deadlocks.ts';
import { AppError, notFound, validation } from '../../errors.ts';
import { honourOptOuts, phonesOf, skipPending } from '../opt-outs/opting-out.ts';
import { auditable, lockPeople, type Person, writePerson } from '../person.ts';
import { keepReached } from '../reaching.ts';
import { distinctTags } from '../rules.ts';
import { type ContactView, MAX_CUSTOM, MAX_NOTES, MAX_TAGS } from '../schema.ts';
import { getContact } from '../service.ts';
import { MERGE_REMINDED } from './reminders.ts';
import { makeRoomForRuns } from './runs.ts';

/**
 * Merges two contacts that are the same person. The contact in the path keeps its id and its values; the other one
 * fills the gaps and is deleted, and everything that referred to it now refers to the survivor. If either was opted
 * out or blocked, the survivor is. Throws 404, 422 `unknown_contact` for the other one, and 422 `validation` for
 * merging a contact with itself.
 */
export const mergeContacts = (ctx: Context, id: string, otherId: string): Promise<ContactView> =>
  transactAgain(ctx, async (tx) => {
    const people = await lockPeople(tx, [id, otherId], 'key');
    const survivor = people.find((person) => person.id === id);
    if (!survivor) throw notFound('contact');
    if (id === otherId) throw itself();
    const other = people.find((person) => person.id === otherId);
    if (!other) {
      throw new AppError('unknown_contact', 'There is no such contact to merge.', {
        contact_id: otherId,
      });
    }
    const merged = together(survivor, other);
    await keepReached(tx.sql, tx.organizationId, [id, otherId]);
    await tx.sql.rows(CONVERSATIONS, [tx.organizationId, id, otherId]);
    await makeRoomForRuns(tx, id, otherId);
    await moveEverything(tx, id, otherId);
    await moveIdentities(tx, survivor, other);
    await writePerson(tx, merged);
    await writeFlags(tx, merged, survivor, other);
    const listed = await honourOptOuts(tx, id);
    if (merged.opted_out || listed) await skipPending(tx, id, 'opted_out');
    await audit(tx, {
      action: 'contact.merged',
      target: { type: 'contact', id, name: merged.name },
      changes: [
        { field: 'merged_contact', from: otherId, to: id },
        ...changesBetween(auditable(survivor), auditable(merged)),
      ],
    });
    return getContact(tx, id);
  });

const itself = (): AppError =>
  validation([
    { path: 'contact_id', rule: 'other', message: 'Name another contact than this one.' },
  ]);

/** Fills the survivor's gaps from the other contact, and joins lists up to their limits. */
function together(survivor: Person, other: Person): Person {
  const custom = Object.entries({ ...other.custom, ...survivor.custom });
  const own = custom.filter(([key]) => Object.hasOwn(survivor.custom, key));
  const added = custom.filter(([key]) => !Object.hasOwn(survivor.custom, key));
  const notes = [survivor.notes, other.notes].filter((text) => text !== '').join('\n\n');
  const birth = survivor.birth_date === null ? other : survivor;
  const refusal = [survivor, other].find((person) => person.opted_out) ?? survivor;
  return {
    ...survivor,
    name: survivor.name || other.name,
    phone: survivor.phone ?? other.phone,
    phone_key: survivor.phone_key ?? other.phone_key,
    email: survivor.email ?? other.email,
    owner_id: survivor.owner_id ?? other.owner_id,
    tags: distinctTags([...survivor.tags, ...other.tags]).slice(0, MAX_TAGS),
    custom: Object.fromEntries([...own, ...added].slice(0, MAX_CUSTOM)),
    birth_date: birth.birth_date,
    birth_year_known: birth.birth_year_known,
    language: survivor.language ?? other.language,
    time_zone: survivor.time_zone ?? other.time_zone,
    notes: [...notes].slice(0, MAX_NOTES).join(''),
    blocked: survivor.blocked || other.blocked,
    opted_out: refusal.opted_out,
    opted_out_at: refusal.opted_out_at,
    opt_out_source: refusal.opt_out_source,
    opt_out_message_id: refusal.opt_out_message_id,
    consent: survivor.consent ?? other.consent,
  };
}

async function moveEverything(tx: Context, id: string, otherId: string): Promise<void> {
  const params = [tx.organizationId, id, otherId];
  for (const statement of MOVES)
    await tx.sql.rows(statement, statement.includes('$4') ? [...params, tx.now] : params);
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
 * If a campaign is for both contacts, the person gets one message: a pending recipient is skipped if the other one
 * was sent to, may have been, or will be.
 */
const onlyOnce = (waiting: string, other: string, alsoIf: readonly 'pending'[]): string => {
  const reached = [...alsoIf, 'sending', 'sent', 'delivered', 'read', 'unconfirmed'];
  return `with over as (
     update campaign_recipients r set status = 'skipped', reason = 'no_recipient', settled_at = $4, not_before = null
     where r.organization_id = $1 and r.contact_id = ${waiting} and r.status = 'pending' and exists (
       select from campaign_recipients s where s.organization_id = $1 and s.campaign_id = r.campaign_id
         and s.contact_id = ${other} and s.status in (${reached.map((status) => `'${status}'`).join(', ')}))
     returning r.message_id)
   update messages m set status = 'cancelled' from over
   where m.organization_id = $1 and m.id = over.message_id and m.status = 'queued'`;
};

/** Taking a step of a run, and acting on a message, lock the conversation first. */
const CONVERSATIONS = `
select v.id from conversations v
where v.organization_id = $1 and v.contact_id in ($2, $3) order by v.id for update`;

/**
 * $2 is the survivor, $3 the other contact, $4 now. References to conversations come before the conversations
 * themselves.
 */
const MOVES = [
  `update messages m set conversation_id = ${placeOf('m')}, contact_id = $2
   where m.organization_id = $1 and m.conversation_id in ${OTHERS}`,
  `update outgoing_messages q set conversation_id = ${placeOf('q')}
   where q.organization_id = $1 and q.conversation_id in ${OTHERS}`,
  `update conversation_activities a set conversation_id = ${placeOf('a')}
   where a.organization_id = $1 and a.conversation_id in ${OTHERS}`,
  `update deals d set contact_id = $2, conversation_id = ${placeOf('d')}, updated_at = $4
   where d.organization_id = $1 and d.contact_id = $3`,
  `update automation_runs r set contact_id = $2, conversation_id = ${placeOf('r')}
   where r.organization_id = $1 and r.contact_id = $3`,
  `update automation_triggers r set contact_id = $2, conversation_id = ${placeOf('r')}
   where r.organization_id = $1 and r.contact_id = $3`,
  `update conversations s set
     status = case when 'open' in (s.status, o.status) then 'open' else s.status end,
     closed_at = case when 'open' in (s.status, o.status) then null else greatest(s.closed_at, o.closed_at) end,
     opened_at = case when s.status = o.status then least(s.opened_at, o.opened_at)
       when s.status = 'open' then s.opened_at else o.opened_at end,
     unread = s.unread + o.unread,
     assigned_team_id = coalesce(s.assigned_team_id, o.assigned_team_id),
     assigned_member_id = case when s.assigned_team_id is null and s.assigned_member_id is null
       then o.assigned_member_id else s.assigned_member_id end,
     handled_by = case when 'member' in (s.handled_by, o.handled_by) then 'member'
       when s.handled_by = 'none' then o.handled_by else s.handled_by end,
     last_message_at = greatest(s.last_message_at, o.last_message_at),
     last_outbound_at = greatest(s.last_outbound_at, o.last_outbound_at),
     window_expires_at = greatest(s.window_expires_at, o.window_expires_at),
     waiting_since = least(s.waiting_since, o.waiting_since), updated_at = $4
   from (${PAIRS}) p join conversations o on o.organization_id = $1 and o.id = p.other
   where s.organization_id = $1 and s.id = p.own`,
  `delete from conversations o using (${PAIRS}) p
   where o.organization_id = $1 and o.id = p.other`,
  `update conversations set contact_id = $2, updated_at = $4 where organization_id = $1 and contact_id = $3`,
  `update reminders set contact_id = $2, updated_at = $4 where organization_id = $1 and contact_id = $3`,
  `update form_submissions set contact_id = case when contact_id = $3 then $2 else contact_id end,
     conflict_contact_id = case when conflict_contact_id = $3 then $2 else conflict_contact_id end
   where organization_id = $1 and $3 in (contact_id, conflict_contact_id)`,
  `update campaigns set contact_ids = array_replace(contact_ids, $3, $2)
   where organization_id = $1 and frozen_at is null and status in ('draft', 'scheduled', 'sending', 'paused')
     and contact_ids @> array[$3::text]`,
  onlyOnce('$3', '$2', ['pending']),
  onlyOnce('$2', '$3', []),
  `update campaign_recipients set contact_id = $2 where organization_id = $1 and contact_id = $3`,
  // Whoever was new to a number stays counted, as one person if both were.
  `update first_contacts f set contact_id = $2 where organization_id = $1 and contact_id = $3 and not exists (
     select from first_contacts s where s.organization_id = $1 and s.number_id = f.number_id and s.contact_id = $2)`,
  ...MERGE_REMINDED,
];

/**
 * Moves all identities of the other contact to the survivor. A second phone is also stored under its match key, so
 * that the person is found whichever spelling WhatsApp uses.
 */
async function moveIdentities(tx: Context, survivor: Person, other: Person): Promise<void> {
  const keys = await phonesOf(tx, other.id);
  const takesPhone = survivor.phone === null;
  await tx.sql.rows(
    `update contact_identities set contact_id = $2, is_primary = is_primary and type = 'phone' and $4
     where organization_id = $1 and contact_id = $3`,
    [tx.organizationId, survivor.id, other.id, takesPhone],
  );
  await tx.sql.rows(
    `insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
     select distinct $1, $2, 'phone', key, false, $4::timestamptz from unnest($3::text[]) key
     on conflict do nothing`,
    [tx.organizationId, survivor.id, takesPhone ? [] : keys, tx.now],
  );
}

const writeFlags = async (
  tx: Context,
  merged: Person,
  survivor: Person,
  other: Person,
): Promise<void> => {
  const gone = await tx.sql.rows<Marks>(
    `delete from contacts where organization_id = $1 and id = $2
     returning last_inbound_at, last_outbound_at, whatsapp_status, no_whatsapp_since, opt_out_confirmed_at`,
    [tx.organizationId, other.id],
  );
  const marks = gone[0];
  await tx.sql.rows(
    `update contacts set phone = $3, phone_key = $4, opted_out = $5, opted_out_at = $6, opt_out_source = $7,
       opt_out_message_id = $8, consent = $9, last_inbound_at = greatest(last_inbound_at, $10),
       last_outbound_at = greatest(last_outbound_at, $11),
       whatsapp_status = case when whatsapp_status = 'unknown' then $12 else whatsapp_status end,
       opt_out_confirmed_at = greatest(opt_out_confirmed_at, $13),
       no_whatsapp_since = coalesce(no_whatsapp_since, $14), reached_since = $15
     where organization_id = $1 and id = $2`,
    [
      tx.organizationId,
      survivor.id,
      merged.phone,
      merged.phone_key,
      merged.opted_out,
      merged.opted_out_at,
      merged.opt_out_source,
      merged.opt_out_message_id,
      merged.consent === null ? null : JSON.stringify(merged.consent),
      marks?.last_inbound_at ?? null,
      marks?.last_outbound_at ?? null,
      survivor.phone === null ? (marks?.whatsapp_status ?? 'unknown') : 'unknown',
      marks?.opt_out_confirmed_at ?? null,
      survivor.phone === null ? (marks?.no_whatsapp_since ?? null) : null,
      tx.now,
    ],
  );
};

interface Marks {
  readonly last_inbound_at: Date | null;
  readonly last_outbound_at: Date | null;
  readonly whatsapp_status: string;
  readonly no_whatsapp_since: Date | null;
  readonly opt_out_confirmed_at: Date | null;
}
