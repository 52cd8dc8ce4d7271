import type { Context } from '../context.ts';
import { first } from '../db/sql.ts';
import { AppError } from '../errors.ts';

/**
 * Refuses a contact that does not exist: 422 `unknown_contact`. Locked until the caller's transaction ends: a deletion
 * waits, and then finds what was made for the contact.
 */
export async function requireContact(tx: Context, contactId: string): Promise<void> {
  const known = await first(
    tx.sql,
    'select 1 from contacts where organization_id = $1 and id = $2 for key share',
    [tx.organizationId, contactId],
  );
  if (known) return;
  throw new AppError('unknown_contact', 'There is no such contact.', { contact_id: contactId });
}
