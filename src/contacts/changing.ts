import { type AuditValue, type Change, changesBetween } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import { advisoryLockShared } from '../db/advisory-locks.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { validation } from '../errors.ts';
import { requireOwner } from '../members/owners.ts';
import { birth, todayFor, withoutNulls } from './drafts.ts';
import type { Custom } from './fields.ts';
import { type Phone, parsePhone, phoneKey } from './identity/phones.ts';
import { honourOptOuts, optOut } from './opt-outs/opting-out.ts';
import { auditable, lockPerson, type Person, writePerson } from './person.ts';
import { distinctTags, looksYearless, MAX_CUSTOM, storedBirthDate } from './rules.ts';
import type { ContactPatch } from './schema.ts';
import { tellChanged } from './telling.ts';
import { duplicatePhone } from './writing.ts';

/**
 * Changes the fields that the patch names; if none of them differs, nothing is written. An opt-out is noted, never cleared,
 * and who is opted out already keeps when and how: WhatsApp's switch alone says less than this does.
 */
export const updateContact = (
  ctx: Context,
  id: string,
  patch: ContactPatch,
): Promise<{ id: string }> =>
  transact(ctx, async (tx) => {
    const before = await lockPerson(tx, id);
    await requireOwner(tx, patch.owner_id ?? null);
    const after = changed(before, patch, await todayFor(tx, patch));
    await write(tx, before, after);
    if (patch.opted_out && (!before.opted_out || before.opt_out_source === 'whatsapp'))
      await optOut(tx, id, { source: 'api', messageId: null });
    return { id };
  });

async function write(tx: Context, before: Person, after: Person): Promise<void> {
  const { id, name } = after;
  const changes = changesOf(before, after);
  if (changes.length === 0) return;
  await writePerson(tx, after);
  if (after.phone !== before.phone) await changePhone(tx, before, phoneOf(after));
  await tellChanged(tx, [{ id, changes }]);
  await audit(tx, { action: 'contact.updated', target: { type: 'contact', id, name }, changes });
}

function changed(before: Person, patch: ContactPatch, today: string): Person {
  const { tags, custom, phone, birth_date: _date, birth_year_known: _known, ...rest } = patch;
  const { opted_out: _wish, ...plain } = rest;
  const given = Object.fromEntries(
    Object.entries(plain).filter(([, value]) => value !== undefined),
  ) as Partial<Person>;
  const parsed = phone === undefined ? phoneOf(before) : parsePhone(phone);
  return {
    ...before,
    ...given,
    phone: parsed?.e164 ?? null,
    phone_key: parsed?.key ?? null,
    tags: tags === undefined ? before.tags : distinctTags(tags),
    custom: custom === undefined ? before.custom : mergedCustom(before.custom, custom),
    ...birthOf(before, patch, today),
  };
}

const phoneOf = ({ phone, phone_key: key }: Person): Phone | null =>
  phone === null || key === null ? null : { e164: phone, key };

/** Merges key by key: null removes a field, a key that is left out stays. */
function mergedCustom(before: Custom, patch: Custom): Custom {
  const merged = withoutNulls({ ...before, ...patch });
  if (Object.keys(merged).length <= MAX_CUSTOM) return merged;
  const message = `The contact would have more than ${MAX_CUSTOM} keys.`;
  throw validation([{ path: 'custom', rule: 'max_items', limit: MAX_CUSTOM, message }]);
}

function birthOf(
  before: Person,
  { birth_date: date, birth_year_known: known }: ContactPatch,
  today: string,
): Pick<Person, 'birth_date' | 'birth_year_known'> {
  const { birth_date, birth_year_known } = before;
  if (date !== undefined) {
    const kept = date !== null && looksYearless(date) ? birth_year_known : undefined;
    return birth({ birth_date: date, birth_year_known: known ?? kept }, today);
  }
  if (known === undefined || birth_date === null || known === birth_year_known)
    return { birth_date, birth_year_known };
  if (!known) return { birth_date: storedBirthDate(birth_date, false), birth_year_known: false };
  const message = 'Give the birthday with its year.';
  throw validation([{ path: 'birth_date', rule: 'required', message }]);
}

/** A removed custom field is logged as a change to null. */
function changesOf(before: Person, after: Person): Change[] {
  const from = auditable(before);
  const to = auditable(after);
  const gone = Object.keys(from).filter((field) => !Object.hasOwn(to, field));
  const nulls: Record<string, AuditValue> = Object.fromEntries(gone.map((field) => [field, null]));
  return changesBetween(from, { ...to, ...nulls });
}

/**
 * Replaces the phone. The identities that WhatsApp gave us for the old phone go with it, unless the new phone is
 * another spelling of the same one. A second phone from a merge stays; WhatsApp's ids do not say of which phone they
 * are, so its own goes as well, and comes back with the next message from it.
 */
async function changePhone(tx: Context, { id, ...before }: Person, phone: Phone | null) {
  const owned = [tx.organizationId, id] as const;
  await refuseTaken(tx, id, phone);
  await writePhone(tx, id, phone);
  await tx.sql.rows(
    `update contact_identities set is_primary = false where organization_id = $1 and contact_id = $2 and type = 'phone'`,
    owned,
  );
  if (before.phone_key !== null && phone?.key !== before.phone_key)
    await forgetPhone(tx, id, before.phone_key);
  if (!phone) return;
  await advisoryLockShared(tx.sql, 'strangers', tx.organizationId);
  const own = await tx.sql.rows(
    `insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
     values ($1, $2, 'phone', $3, true, $4)
     on conflict (organization_id, type, value) do update set is_primary = true
       where contact_identities.contact_id = excluded.contact_id
     returning 1`,
    [...owned, phone.e164, tx.now],
  );
  // Somebody wrote from it since it was free, and has it as a second phone.
  if (own.length === 0) throw await duplicatePhone(tx, phone, id);
  await honourOptOuts(tx, id);
}

/** Every spelling of a phone that the contact was known by, and the ids by which WhatsApp knows who has it. */
async function forgetPhone(tx: Context, id: string, key: string): Promise<void> {
  const known = await tx.sql.rows<{ value: string }>(
    `select value from contact_identities where organization_id = $1 and contact_id = $2 and type = 'phone'`,
    [tx.organizationId, id],
  );
  const spellings = known.map(({ value }) => value).filter((value) => phoneKey(value) === key);
  await tx.sql.rows(
    `delete from contact_identities
     where organization_id = $1 and contact_id = $2 and (type <> 'phone' or value = any($3::text[]))`,
    [tx.organizationId, id, spellings],
  );
}

/** The phone may already belong to someone else as a second phone, through a merge or because WhatsApp said so. */
async function refuseTaken(tx: Context, id: string, phone: Phone | null): Promise<void> {
  if (!phone) return;
  const taken = await first(
    tx.sql,
    `select 1 from contact_identities
     where organization_id = $1 and type = 'phone' and value = any($3) and contact_id <> $2`,
    [tx.organizationId, id, [phone.e164, phone.key]],
  );
  if (taken) throw await duplicatePhone(tx, phone);
}

const UNIQUE_VIOLATION = '23505';

async function writePhone(tx: Context, id: string, phone: Phone | null): Promise<void> {
  const work = (inner: Context): Promise<unknown[]> =>
    inner.sql.rows(
      `update contacts set phone = $3, phone_key = $4,
         whatsapp_status = case when phone_key is not distinct from $4 then whatsapp_status else 'unknown' end,
         no_whatsapp_since = case when phone_key is not distinct from $4 then no_whatsapp_since end,
         reached_since = case when phone_key is not distinct from $4 then reached_since else $5 end
       where organization_id = $1 and id = $2`,
      [tx.organizationId, id, phone?.e164 ?? null, phone?.key ?? null, tx.now],
    );
  try {
    // In a savepoint, so that after a unique violation the transaction can still look up who has the phone.
    await transact(tx, work);
  } catch (error) {
    if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    throw await duplicatePhone(tx, phone);
  }
}
