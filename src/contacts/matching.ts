import type { Draft } from './drafts.ts';
import type { ContactWriting } from './writing.ts';

type Row = Omit<Draft, 'phone'> & {
  readonly phone: string | null;
  readonly phone_key: string | null;
};

/** Who is known by the phones, or lacking one by the e-mail addresses, of these rows; locked. */
export async function findForImport(
  { sql, organizationId }: ContactWriting,
  rows: readonly Draft[],
): Promise<Draft[]> {
  const phoneKeys = rows.flatMap(({ phone }) => (phone ? [phone.key] : []));
  const emails = rows.flatMap(({ phone, email }) => (phone || !email ? [] : [email.toLowerCase()]));
  const columns = `id, name, phone, phone_key, email, owner_id, tags, custom, birth_date, birth_year_known,
    language, time_zone, notes, whatsapp_status`;
  // In the order of ids, so that two imports at once never wait for each other in a circle.
  const found = await sql.rows<Row>(
    `select ${columns} from contacts
     where organization_id = $1 and id in (
       select id from contacts where organization_id = $1 and phone_key = any($2::text[])
       union all
       select id from contacts where organization_id = $1 and email_key = any($3::text[]) and phone_key is null)
     order by id for no key update`,
    [organizationId, phoneKeys, emails],
    'contacts-for-import',
  );
  return found.map(({ phone, phone_key, ...row }) => ({
    ...row,
    phone: phone === null || phone_key === null ? null : { e164: phone, key: phone_key },
  }));
}

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
