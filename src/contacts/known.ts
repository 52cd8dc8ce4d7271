import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { unknownContact } from './missing.ts';

/** How a contact is called. */
export interface ContactName {
  readonly name: string;
  readonly phone: string | null;
  readonly email: string | null;
}

/**
 * Refuses a contact that does not exist: 422 `unknown_contact`. Locked until the caller's transaction ends: a deletion
 * waits, and then finds what was made for the contact.
 */
export async function requireContact(tx: Context, contactId: string): Promise<ContactName> {
  const known = await first<ContactName>(
    tx.sql,
    'select name, phone, email from contacts where organization_id = $1 and id = $2 for key share',
    [tx.organizationId, contactId],
  );
  if (known) return known;
  throw await unknownContact(tx, contactId);
}
