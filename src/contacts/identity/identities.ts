import { first } from '../../db/sql.ts';
import { AppError } from '../../errors.ts';
import { blankDraft, type ContactWriting, type Provenance } from '../drafts.ts';
import { type Unannounced, writeContacts } from '../writing.ts';
import { type Phone, phoneKey } from './phones.ts';

/** Who wrote, as WhatsApp names them. */
export interface Sighting extends Provenance {
  /** WhatsApp's digits, or E.164. */
  readonly phone: string;
  /** The name of their profile; "" when unknown. */
  readonly name: string;
}

/** The sender of a message, with what receiving it needs. */
export interface KnownContact {
  readonly id: string;
  readonly name: string;
  /** E.164; "" for a person who hides it. */
  readonly phone: string;
  readonly optedOut: boolean;
  readonly blocked: boolean;
}

export interface ResolvedContact {
  readonly contact: KnownContact;
  /** For a new contact, what must still be announced; null for a known one. */
  readonly unannounced: Unannounced | null;
}

/**
 * Finds the person behind a phone that WhatsApp told us, by exactly this identity, then by its variants; otherwise
 * creates one, which the caller must announce. A plan's limit on contacts never turns an inbound message away.
 */
export async function findOrCreateByPhone(
  tx: ContactWriting,
  sighting: Sighting,
): Promise<ResolvedContact> {
  const phone = phoneOf(sighting.phone);
  const { e164 } = phone;
  const known = await recognise(tx, phone);
  if (known) return knownContact(await complete(tx, known, phone, sighting.name));
  const draft = {
    ...blankDraft(),
    name: [...sighting.name].slice(0, 200).join(''),
    phone,
    whatsapp_status: 'valid' as const,
  };
  const { added: written, unannounced } = await writeContacts(tx, [draft], sighting);
  const [added] = written;
  if (!added) return knownContact(await createdMeanwhile(tx, phone));
  const { id, name, opted_out: optedOut } = added;
  return { contact: { id, name, phone: e164, optedOut, blocked: false }, unannounced };
}

/** A contact who was known before: nothing to announce. */
export const knownContact = (contact: KnownContact): ResolvedContact => ({
  contact,
  unannounced: null,
});

const phoneOf = (written: string): Phone => {
  const e164 = `+${written.replace(/\D/g, '')}`;
  return { e164, key: phoneKey(e164) };
};

/** Whoever has a phone, and how it is spelled there. */
export interface PhoneOwner {
  readonly id: string;
  readonly spelling: string;
}

type Known = KnownContact & PhoneOwner;
type Place = Pick<ContactWriting, 'sql' | 'organizationId'>;

/** The contact with this phone in any spelling, or null. */
export const findByPhone = (tx: Place, phone: string): Promise<Known | null> =>
  recognise(tx, phoneOf(phone));

const recognise = ({ sql, organizationId }: Place, phone: Phone): Promise<Known | null> =>
  first<Known>(
    sql,
    `with identity as (
       select contact_id, value from contact_identities
       where organization_id = $1 and type = 'phone' and value in ($2, $3) order by value = $2 desc limit 1),
     -- Apart: under row level security a subquery within the condition would have every contact of the workspace read.
     known as materialized (
       select coalesce((select contact_id from identity),
           (select k.id from contacts k where k.organization_id = $1 and k.phone_key = $3)) as id,
         (select value from identity) as value)
     select c.id, c.name, coalesce(c.phone, '') as phone, c.opted_out as "optedOut", c.blocked,
       coalesce(known.value, c.phone) as spelling
     from known join contacts c on c.organization_id = $1 and c.id = known.id`,
    [organizationId, phone.e164, phone.key],
    'contact-by-phone',
  );

const BY_PHONES = `
select g.e164, coalesce(i.contact_id, k.id) as id, coalesce(i.value, k.phone) as spelling
from unnest($2::text[], $3::text[]) g (e164, key)
left join lateral (select i.contact_id, i.value from contact_identities i
  where i.organization_id = $1 and i.type = 'phone' and i.value in (g.e164, g.key)
  order by i.value = g.e164 desc limit 1) i on true
left join lateral (select k.id, k.phone from contacts k
  where k.organization_id = $1 and k.phone_key = g.key limit 1) k on true
where coalesce(i.contact_id, k.id) is not null`;

/**
 * `findByPhone` for many phones.
 *
 * @returns the contact of each phone that has one, by E.164
 */
export async function findByPhones(
  { sql, organizationId }: ContactWriting,
  phones: readonly Phone[],
): Promise<ReadonlyMap<string, PhoneOwner>> {
  if (phones.length === 0) return new Map();
  const rows = await sql.rows<PhoneOwner & { readonly e164: string }>(
    BY_PHONES,
    [organizationId, phones.map(({ e164 }) => e164), phones.map(({ key }) => key)],
    'contacts-by-phones',
  );
  return new Map(rows.map(({ e164, id, spelling }) => [e164, { id, spelling }]));
}

/** Stores the spelling that WhatsApp uses, and the profile's name if the contact had none. */
async function complete(
  tx: ContactWriting,
  { spelling, ...contact }: Known,
  phone: Phone,
  profileName: string,
): Promise<KnownContact> {
  const seen = spelling === phone.e164 ? null : phone.e164;
  const name = contact.name === '' ? [...profileName].slice(0, 200).join('') : '';
  if (seen === null && name === '') return contact;
  // A person may have given a name since the contact was read: that one stays.
  const named = await first<{ name: string }>(
    tx.sql,
    `with seen as (
       insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
       select $1, $2, 'phone', $3, false, $4 where $3::text is not null on conflict do nothing returning 1)
     update contacts set name = coalesce(nullif(name, ''), $5), updated_at = $4
     where organization_id = $1 and id = $2 and ($5 <> '' or exists (select from seen)) returning name`,
    [tx.organizationId, contact.id, seen, tx.now, name],
  );
  return { ...contact, ...named };
}

async function createdMeanwhile(tx: ContactWriting, phone: Phone): Promise<KnownContact> {
  const known = await recognise(tx, phone);
  if (!known) throw new AppError('conflict', 'The contact was changed at the same moment.');
  const { spelling: _, ...contact } = known;
  return contact;
}
