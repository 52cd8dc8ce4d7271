import type { Draft } from '../contacts/drafts.ts';
import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';
import { notFound } from '../errors.ts';

/** A contact as a form finds it, with the words it agreed to before. */
export interface Person {
  readonly draft: Draft;
  readonly consent: string | null;
}

type Row = Omit<Draft, 'phone'> & {
  readonly phone: string | null;
  readonly phone_key: string | null;
  readonly consent: string | null;
};

/** Locked until the transaction ends. Throws 404 if the contact is gone. */
export async function lockPerson(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<Person> {
  const row = await first<Row>(
    sql,
    `select id, name, phone, phone_key, email, owner_id, tags, custom, birth_date, birth_year_known, language,
       time_zone, notes, whatsapp_status, consent->>'label' as consent
     from contacts where organization_id = $1 and id = $2 for no key update`,
    [organizationId, id],
    'form-person',
  );
  if (!row) throw notFound('contact');
  const { phone, phone_key, consent, ...rest } = row;
  return {
    draft: {
      ...rest,
      phone: phone === null || phone_key === null ? null : { e164: phone, key: phone_key },
    },
    consent,
  };
}

/** Another contact with this e-mail address, the oldest one. */
export async function emailHolder(
  { sql, organizationId }: InWorkspace,
  email: string | null,
  notId: string,
): Promise<string | null> {
  if (email === null) return null;
  const row = await first<{ id: string }>(
    sql,
    `select id from contacts where organization_id = $1 and email_key = lower($2) and id <> $3 order by id limit 1`,
    [organizationId, email, notId],
    'form-email-holder',
  );
  return row?.id ?? null;
}
