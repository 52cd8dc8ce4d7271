import type { InWorkspace } from '../context.ts';

/** A contact as pages show it: by name, or else by phone (E.164) or e-mail. */
export interface NamedContact {
  readonly name: string;
  readonly phone: string | null;
  readonly email: string | null;
}

/** @param otherwise for somebody of whom nothing but WhatsApp's own id is known */
export const nameOfContact = ({ name, phone, email }: NamedContact, otherwise = '—'): string =>
  name || phone || email || otherwise;

/** The names to show for these contacts, by id; deleted ones are missing. For lists of other records. */
export async function contactNames(
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NamedContact>> {
  const rows = await sql.rows<NamedContact & { id: string }>(
    'select id, name, phone, email from contacts where organization_id = $1 and id = any($2::text[])',
    [organizationId, ids],
    'contact-names',
  );
  return new Map(rows.map(({ id, ...named }) => [id, named]));
}
