import { changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context, ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound } from '../errors.ts';
import { pageOf } from '../http/page.ts';
import type { PageOf, PageRequest } from '../http/route.ts';
import { checkQuota } from '../workspaces/plans.ts';
import { draftOf, type WayIn } from './drafts.ts';
import { type Phone, parsePhone } from './phones.ts';
import { presentContact } from './present.ts';
import { selectContact, selectContacts } from './queries.ts';
import type { ContactFilters, ContactPatch, ContactView, NewContact } from './schema.ts';
import { addContacts, countContacts, createdEntry, duplicatePhone } from './writing.ts';

/** The API counts as an import (design decisions §12). */
const BY_API: WayIn = { origin: 'import', createdVia: 'api' };

/** Throws 409 `duplicate`, 409 `quota`, 422 `unknown_member`, and 422 `validation` for an impossible birthday. */
export const createContact = (
  ctx: Context,
  input: NewContact,
  way: WayIn = BY_API,
): Promise<ContactView> =>
  transact(ctx, async (tx) => {
    const draft = draftOf(input, tx);
    await requireMember(tx, draft.owner_id);
    await checkQuota(tx, 'contacts', () => countContacts(tx));
    const [added] = await addContacts(tx, [draft], way);
    if (!added) throw await duplicatePhone(tx, draft.phone);
    await audit(tx, createdEntry(added, way));
    return getContact(tx, added.id);
  });

export async function getContact(
  ctx: Pick<ReadContext, 'sql' | 'organizationId'>,
  id: string,
): Promise<ContactView> {
  const row = await selectContact(ctx, id);
  if (!row) throw notFound('contact');
  return presentContact(row);
}

/** Newest first. */
export async function listContacts(
  ctx: ReadContext,
  filters: ContactFilters,
  page: PageRequest,
): Promise<PageOf<ContactView>> {
  const rows = await selectContacts(ctx, filters, page);
  return pageOf(rows, page, presentContact);
}

interface Editable {
  readonly name: string;
  readonly phone: string | null;
  readonly phone_key: string | null;
  readonly email: string | null;
  readonly owner_id: string | null;
}

/** Changes what the patch names; nothing that differs means nothing is written. */
export const updateContact = (
  ctx: Context,
  id: string,
  patch: ContactPatch,
): Promise<{ id: string }> =>
  transact(ctx, async (tx) => {
    const before = await lockContact(tx, id);
    await requireMember(tx, patch.owner_id ?? null);
    const phone = patch.phone === undefined ? undefined : parsePhone(patch.phone);
    const { phone_key: _, ...from } = before;
    const changes = changesBetween(from, {
      ...patch,
      phone: phone === undefined ? undefined : (phone?.e164 ?? null),
    });
    if (changes.length === 0) return { id };
    const { name = before.name, email = before.email, owner_id = before.owner_id } = patch;
    await tx.sql.rows(
      `update contacts set name = $3, email = $4, owner_id = $5, updated_at = $6
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, name, email, owner_id, tx.now],
    );
    if (changes.some(({ field }) => field === 'phone')) {
      await changePhone(tx, id, before.phone_key, phone ?? null);
    }
    await audit(tx, {
      action: 'contact.updated',
      target: { type: 'contact', id, name },
      changes,
    });
    return { id };
  });

async function lockContact({ sql, organizationId }: Context, id: string): Promise<Editable> {
  const row = await first<Editable>(
    sql,
    `select name, phone, phone_key, email, owner_id from contacts
     where organization_id = $1 and id = $2 for no key update`,
    [organizationId, id],
  );
  if (!row) throw notFound('contact');
  return row;
}

/** What WhatsApp told us of the old phone goes with it; another spelling of the same phone keeps it. */
async function changePhone(
  tx: Context,
  id: string,
  oldKey: string | null,
  phone: Phone | null,
): Promise<void> {
  const owned = [tx.organizationId, id] as const;
  await writePhone(tx, id, phone);
  await tx.sql.rows(
    phone?.key === oldKey
      ? `update contact_identities set is_primary = false where organization_id = $1 and contact_id = $2 and type = 'phone'`
      : `delete from contact_identities where organization_id = $1 and contact_id = $2 and type = 'phone'`,
    owned,
  );
  if (!phone) return;
  await tx.sql.rows(
    `insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
     values ($1, $2, 'phone', $3, true, $4)
     on conflict (organization_id, type, value) do update set is_primary = true
       where contact_identities.contact_id = excluded.contact_id`,
    [...owned, phone.e164, tx.now],
  );
}

const UNIQUE_VIOLATION = '23505';

async function writePhone(tx: Context, id: string, phone: Phone | null): Promise<void> {
  const work = (inner: Context): Promise<unknown[]> =>
    inner.sql.rows(
      `update contacts set phone = $3, phone_key = $4,
         whatsapp_status = case when phone_key is not distinct from $4 then whatsapp_status else 'unknown' end
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, phone?.e164 ?? null, phone?.key ?? null],
    );
  try {
    // A savepoint, so that after a refusal it can still be asked who has the phone.
    await transact(tx, work);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    throw await duplicatePhone(tx, phone);
  }
}

/** An owner must be a member of this workspace; another's is as unknown as a made-up one. */
async function requireMember(tx: Context, memberId: string | null): Promise<void> {
  if (memberId === null) return;
  const member = await first(
    tx.sql,
    'select 1 from members where organization_id = $1 and id = $2',
    [tx.organizationId, memberId],
  );
  if (member) return;
  throw new AppError('unknown_member', 'There is no such member.', { owner_id: memberId });
}
