import { blankDraft, type Provenance } from '../../contacts/drafts.ts';
import { findByPhones, type PhoneOwner } from '../../contacts/identity/identities.ts';
import { type Phone, parsePhone } from '../../contacts/identity/phones.ts';
import { addContacts } from '../../contacts/writing.ts';
import type { Context } from '../../context.ts';
import type { OpenRun, Standing } from './state.ts';

/** A reminder's phone, and who created the reminder. */
export interface Called {
  readonly phone: string | null;
  readonly by: Standing['created_by']['type'];
}

/**
 * The contacts with these phones, created at the first send (design decisions §10) in the name of the reminder's
 * creator. A plan's limit on contacts does not hold a reminder back.
 *
 * @returns them by the phone as the reminder has it
 */
export async function knowPhones(
  tx: Context,
  called: readonly Called[],
): Promise<ReadonlyMap<string, PhoneOwner>> {
  const wanted = new Map<string, { readonly phone: Phone; readonly by: Called['by'] }>();
  for (const { phone: written, by } of called) {
    const phone = parsePhone(written ?? '');
    if (written !== null && phone) wanted.set(written, { phone, by });
  }
  const phones = [...wanted.values()].map(({ phone }) => phone);
  const known = await findByPhones(tx, phones);
  const fresh = [...wanted.values()].filter(({ phone }) => !known.has(phone.e164));
  for (const [by, own] of Map.groupBy(fresh, ({ by }) => by)) {
    const drafts = own.map(({ phone }) => ({ ...blankDraft(), phone }));
    await addContacts(tx, drafts, provenanceOf(by));
  }
  // Looked up again, because a concurrent transaction may have created one.
  const now = fresh.length > 0 ? await findByPhones(tx, phones) : known;
  const contacts = [...wanted].flatMap(([written, { phone }]) => {
    const owner = now.get(phone.e164);
    return owner ? [[written, owner] as const] : [];
  });
  return new Map(contacts);
}

/**
 * Records the contact to which a run's phone belongs.
 *
 * @returns the phone as the contact has it
 */
export async function knowPhone(
  tx: Context,
  { id, created_by: { type: by } }: Standing,
  { scheduled_for: at, content: { phone } }: OpenRun,
): Promise<string | null> {
  const owner = (await knowPhones(tx, [{ phone, by }])).get(phone ?? '');
  await tx.sql.rows(
    `update reminder_recipients set contact_id = $4
     where organization_id = $1 and reminder_id = $2 and scheduled_for = $3 and status = 'pending'`,
    [tx.organizationId, id, at, owner?.id ?? null],
  );
  return owner?.spelling ?? null;
}

function provenanceOf(by: Called['by']): Provenance {
  if (by === 'member') return { origin: 'team', createdVia: 'member' };
  if (by === 'automation') return { origin: 'team', createdVia: 'automation' };
  return { origin: 'import', createdVia: 'api' };
}
