import { auditAll } from '../../audit/service.ts';
import { blankDraft, type WayIn } from '../../contacts/drafts.ts';
import { findByPhone } from '../../contacts/identities.ts';
import { parsePhone } from '../../contacts/phones.ts';
import { addContacts, createdEntry } from '../../contacts/writing.ts';
import type { Context } from '../../context.ts';
import type { OpenRun, Standing } from './state.ts';

/**
 * The contact behind the phone of a run, created at the first send (design decisions §10) as whoever made
 * the reminder would have. A plan's limit of contacts does not hold a reminder back.
 */
export async function knowPhone(
  tx: Context,
  { id, created_by: by }: Standing,
  { scheduled_for: at, content }: OpenRun,
): Promise<void> {
  const phone = parsePhone(content.phone ?? '');
  if (!phone) return;
  const contactId = (await findByPhone(tx, phone.e164))?.id ?? (await create(tx, phone, by.type));
  await tx.sql.rows(
    `update reminder_recipients set contact_id = $4
     where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 and status = 'pending'`,
    [tx.organizationId, id, at, contactId],
  );
}

async function create(
  tx: Context,
  phone: NonNullable<ReturnType<typeof parsePhone>>,
  by: Standing['created_by']['type'],
): Promise<string | null> {
  const way = wayOf(by);
  const [added] = await addContacts(tx, [{ ...blankDraft(), phone }], way);
  // Somebody created it at the same moment.
  if (!added) return (await findByPhone(tx, phone.e164))?.id ?? null;
  await auditAll(tx, [createdEntry(added, way)]);
  return added.id;
}

function wayOf(by: Standing['created_by']['type']): WayIn {
  if (by === 'member') return { origin: 'team', createdVia: 'member' };
  if (by === 'automation') return { origin: 'team', createdVia: 'automation' };
  return { origin: 'import', createdVia: 'api' };
}
