import type { InWorkspace } from '../context.ts';
import { first } from '../db/sql.ts';

/** Consent to marketing, with the exact words that were agreed to (design decisions §3). */
export interface Consent {
  readonly label: string;
  readonly source: string;
  readonly at: string;
}

/** What the contact agreed to last, with the exact words; null if to nothing, or if there is no such contact. */
export async function consentOf(
  { sql, organizationId }: InWorkspace,
  id: string,
): Promise<Consent | null> {
  const row = await first<{ consent: Consent | null }>(
    sql,
    'select consent from contacts where organization_id = $1 and id = $2',
    [organizationId, id],
  );
  return row?.consent ?? null;
}
