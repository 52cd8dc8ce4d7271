import type { ContactWriting, Draft } from '../drafts.ts';
import type { ImportState } from './row-state.ts';

type Row = Omit<ImportState, 'phone'> & {
  readonly phone: string | null;
  readonly phone_key: string | null;
};

/** A known contact, and the match keys, addresses and ids of rows that it was found by. */
export interface Match {
  readonly person: ImportState;
  readonly keys: readonly string[];
}

/**
 * The contacts with the phones (first or additional) of these rows, or, for rows without a phone, with their e-mail
 * addresses; and those with these ids, also of before a merge. Locks them.
 */
export async function findForImport(
  { sql, organizationId }: ContactWriting,
  rows: readonly Draft[],
  ids: readonly string[] = [],
): Promise<Match[]> {
  const phones = rows.flatMap(({ phone }) => (phone ? [phone] : []));
  const emails = rows.flatMap(({ phone, email }) => (phone || !email ? [] : [email.toLowerCase()]));
  const columns = `c.id, c.name, c.phone, c.phone_key, c.email, c.owner_id, c.tags, c.custom, c.birth_date,
    c.birth_year_known, c.language, c.time_zone, c.notes, c.whatsapp_status, c.opted_out, c.blocked`;
  // In the order of ids, so that two concurrent imports cannot deadlock.
  const found = await sql.rows<Row & { readonly keys: string[] }>(
    `with wanted as (select * from unnest($2::text[], $3::text[]) p (value, key)), found as (
       select c.id, c.phone_key as key from contacts c where c.organization_id = $1 and c.phone_key = any($3::text[])
       union
       select i.contact_id, w.key from contact_identities i join wanted w on i.value in (w.value, w.key)
       where i.organization_id = $1 and i.type = 'phone' and i.value = any($2::text[] || $3::text[])
       union
       select coalesce(m.contact_id, w.id), w.id from unnest($5::text[]) w (id)
       left join merged_contacts m on m.organization_id = $1 and m.id = w.id
       union
       -- Of several with one address whoever has no phone, then the oldest.
       (select distinct on (c.email_key) c.id, c.email_key from contacts c
       where c.organization_id = $1 and c.email_key = any($4::text[])
       order by c.email_key, c.phone_key is not null, c.id))
     select ${columns}, array(select f.key from found f where f.id = c.id) as keys from contacts c
     where c.organization_id = $1 and c.id in (select id from found)
     order by c.id for no key update of c`,
    [organizationId, phones.map(({ e164 }) => e164), phones.map(({ key }) => key), emails, ids],
    'contacts-for-import',
  );
  return found.map(({ phone, phone_key, keys, ...row }) => ({
    keys,
    person: {
      ...row,
      phone: phone === null || phone_key === null ? null : { e164: phone, key: phone_key },
    },
  }));
}

/** Writes an import's changes to known contacts in one statement. */
export async function updateContacts(tx: ContactWriting, people: readonly Draft[]): Promise<void> {
  if (people.length === 0) return;
  await tx.sql.rows(
    `update contacts c set name = d.name, email = d.email, tags = d.tags, custom = d.custom, birth_date = d.birth_date,
       birth_year_known = d.birth_year_known, language = d.language, time_zone = d.time_zone, notes = d.notes, updated_at = $3
     from jsonb_to_recordset($2::jsonb) as d (id text, name text, email text, tags text[], custom jsonb, birth_date date,
       birth_year_known boolean, language text, time_zone text, notes text)
     where c.organization_id = $1 and c.id = d.id`,
    [tx.organizationId, JSON.stringify(people), tx.now],
    'contacts-update',
  );
}
