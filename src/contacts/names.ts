import type { ReadContext } from '../context.ts';

/** By what a contact is called on a page: the name, or the phone (E.164). */
export interface NamedContact {
  readonly name: string;
  readonly phone: string | null;
}

/** What people call these contacts, by id; one that is gone is missing. For lists that show others' records. */
export async function contactNames(
  { sql, organizationId }: Pick<ReadContext, 'sql' | 'organizationId'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, NamedContact>> {
  const rows = await sql.rows<NamedContact & { id: string }>(
    'select id, name, phone from contacts where organization_id = $1 and id = any($2::text[])',
    [organizationId, ids],
    'contact-names',
  );
  return new Map(rows.map(({ id, name, phone }) => [id, { name, phone }]));
}
