import { advisoryLock, advisoryLockShared } from '../../db/advisory-locks.ts';
import { first } from '../../db/sql.ts';
import { blankDraft, type ContactWriting, type Provenance } from '../drafts.ts';
import { honourOptOuts } from '../opt-outs/opting-out.ts';
import { writeContacts } from '../writing.ts';
import {
  findByPhone,
  findOrCreateByPhone,
  type KnownContact,
  knownContact,
  type ResolvedContact,
} from './identities.ts';
import { phoneKey, spellingsOf } from './phones.ts';

/** Who wrote a message, or to whom we did. At least one of the two identities is given. */
export interface Sender {
  /** E.164; null if the person hides it. */
  readonly phone: string | null;
  /** WhatsApp's id of the person for this business. */
  readonly waUserId: string | null;
  /** The name of their profile, or "". */
  readonly name: string;
  /** When it was written. */
  readonly at: Date;
}

export const WROTE_FIRST = { origin: 'direct', createdVia: 'message' } as const;

/**
 * Finds the contact, by WhatsApp's id for the person before the phone (design decisions §12); otherwise
 * creates one, which the caller must announce. Whoever writes to two numbers at once is one contact: nothing else
 * would make the second one wait, and either message may come without the phone.
 */
export async function recogniseSender(
  tx: ContactWriting,
  sender: Sender,
  provenance: Provenance = { ...WROTE_FIRST, wroteAt: sender.at },
): Promise<ResolvedContact> {
  const { waUserId } = sender;
  if (waUserId === null) return byPhone(tx, sender, provenance);
  let known = await contactByUserId(tx, waUserId);
  if (!known) {
    await advisoryLock(tx.sql, 'unique', `wa_user:${tx.organizationId}:${waUserId}`);
    known = await contactByUserId(tx, waUserId);
  }
  return known ? knownContact(known) : byPhone(tx, sender, provenance);
}

/** The contact with one of these identities, or null; never creates one. */
export async function findPerson(
  tx: ContactWriting,
  { phone, waUserId }: Pick<Sender, 'phone' | 'waUserId'>,
): Promise<{ readonly id: string } | null> {
  const known = waUserId === null ? null : await contactByUserId(tx, waUserId);
  return known ?? (phone === null ? null : findByPhone(tx, phone));
}

/**
 * All contacts that this person is, of whom `contactId` is one: others may have the phone, in any spelling, of somebody
 * who was recognised by WhatsApp's id, until they are merged.
 */
export async function contactsOf(
  { sql, organizationId }: ContactWriting,
  contactId: string,
  { phone }: Pick<Sender, 'phone'>,
): Promise<string[]> {
  if (phone === null) return [contactId];
  const key = phoneKey(phone);
  const others = await sql.rows<{ id: string }>(
    `select id from contacts where organization_id = $1 and phone_key = $2 and id <> $4
     union
     select contact_id from contact_identities
     where organization_id = $1 and type = 'phone' and value = any($3::text[]) and contact_id <> $4`,
    [organizationId, key, spellingsOf(key), contactId],
    'contacts-of-person',
  );
  return [contactId, ...others.map(({ id }) => id)];
}

const contactByUserId = (
  { sql, organizationId }: ContactWriting,
  waUserId: string,
): Promise<KnownContact | null> =>
  first(
    sql,
    `select c.id, c.name, coalesce(c.phone, '') as phone, c.opted_out as "optedOut", c.blocked
     from contact_identities i join contacts c on c.organization_id = i.organization_id and c.id = i.contact_id
     where i.organization_id = $1 and i.type = 'wa_user' and i.value = $2`,
    [organizationId, waUserId],
    'contact-by-user-id',
  );

const byPhone = (
  tx: ContactWriting,
  { phone, name }: Sender,
  provenance: Provenance,
): Promise<ResolvedContact> =>
  phone === null
    ? createWithoutPhone(tx, name, provenance)
    : findOrCreateByPhone(tx, { phone, name, ...provenance });

async function createWithoutPhone(
  tx: ContactWriting,
  name: string,
  provenance: Provenance,
): Promise<ResolvedContact> {
  const draft = { ...blankDraft(), name, whatsapp_status: 'valid' as const };
  const { unannounced } = await writeContacts(tx, [draft], provenance);
  const contact = { id: draft.id, name, phone: '', optedOut: false, blocked: false };
  return { contact, unannounced };
}

interface Sighted extends Pick<Sender, 'phone' | 'waUserId'> {
  /** Null for what is no new message. */
  readonly at: Date | null;
}

/**
 * Records that a contact wrote, or was written to, and any identity seen for the first time. An identity that another contact has stays
 * with them. If a new one is on the opt-out list, the contact is opted out. A new contact known only by the phone needs no
 * further record. Call it after writing the conversation, because senders lock in that order too.
 */
export async function noteSighting(
  tx: ContactWriting,
  { contact: { id: contactId, phone: own }, unannounced }: ResolvedContact,
  sender: Sighted,
): Promise<void> {
  if (unannounced && sender.waUserId === null) return;
  // A phone besides the contact's own is found in any spelling by its key, and may be another's in any spelling.
  const key = sender.phone && phoneKey(sender.phone);
  const second = key === null || key === phoneKey(own) ? null : key;
  const row = await first<{ seen: number }>(
    tx.sql,
    `with others as materialized (
       select from contacts where $7::text is not null and organization_id = $1 and phone_key = $7 and id <> $2
       union all
       select from contact_identities where $7::text is not null
         and organization_id = $1 and type = 'phone' and value in ($3, $7) and contact_id <> $2),
     seen as (
       insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
       select $1, $2, i.type, i.value, false, $5
       from (values ('phone', $3::text), ('phone', $7::text), ('wa_user', $4::text)) i (type, value)
       where i.value is not null and (i.type <> 'phone' or not exists (select from others))
       on conflict do nothing returning 1)
     update contacts set last_inbound_at = greatest(last_inbound_at, $6), whatsapp_status = 'valid',
       no_whatsapp_since = null, updated_at = case when exists (select from seen) then $5 else updated_at end
     where organization_id = $1 and id = $2 returning (select count(*) from seen) as seen`,
    [tx.organizationId, contactId, sender.phone, sender.waUserId, tx.now, sender.at, second],
    'note-sighting',
  );
  if (!row || row.seen === 0) return;
  if (second !== null) await leaveToOthers(tx, contactId, [sender.phone, second]);
  if (!unannounced) await advisoryLockShared(tx.sql, 'strangers', tx.organizationId);
  await honourOptOuts(tx, contactId);
}

/** Takes back a second phone noted just now, in every spelling, if somebody else got it while that was waited for. */
const leaveToOthers = (
  { sql, organizationId, now }: ContactWriting,
  contactId: string,
  spellings: readonly (string | null)[],
): Promise<unknown> =>
  sql.rows(
    `delete from contact_identities where organization_id = $1 and contact_id = $2 and type = 'phone'
       and value = any($3::text[]) and created_at = $4 and exists (
         select from contact_identities o where o.organization_id = $1 and o.contact_id <> $2 and o.type = 'phone'
           and o.value = any($3::text[]))`,
    [organizationId, contactId, spellings, now],
    'leave-to-others',
  );
