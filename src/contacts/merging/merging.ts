import { changesBetween } from '../../audit/rules.ts';
import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { transact } from '../../db/transact.ts';
import { type AppError, validation } from '../../errors.ts';
import { contactNotFound, unknownContact } from '../missing.ts';
import { phonesOf } from '../opt-outs/list.ts';
import { honourOptOuts, skipPending } from '../opt-outs/opting-out.ts';
import { auditable, lockPeople, type Person, writePerson } from '../person.ts';
import { keepReached } from '../reaching.ts';
import { distinctTags, MAX_CUSTOM, MAX_NOTES, MAX_TAGS } from '../rules.ts';
import type { ContactView } from '../schema.ts';
import { getContact } from '../service.ts';
import { requireVisible } from '../visibility.ts';
import { moveEverything } from './moves.ts';
import { makeRoomForRuns } from './runs.ts';

/**
 * Merges two contacts that are the same person. The contact in the path keeps its id and its values; the other one
 * fills the gaps and is deleted, and everything that referred to it now refers to the survivor. If either was opted
 * out or blocked, the survivor is. Throws 403 for conversations that the actor cannot see, 404, 422 `unknown_contact`
 * for the other one, and 422 `validation` for merging a contact with itself.
 */
export const mergeContacts = (ctx: Context, id: string, otherId: string): Promise<ContactView> =>
  transact(ctx, async (tx) => {
    const people = await lockPeople(tx, [id, otherId], 'key');
    const survivor = people.find((person) => person.id === id);
    if (!survivor) throw await contactNotFound(tx, id);
    if (id === otherId) throw itself();
    const other = people.find((person) => person.id === otherId);
    if (!other) throw await unknownContact(tx, otherId);
    await requireVisible(tx, id, otherId);
    const merged = together(survivor, other);
    await keepReached(tx.sql, tx.organizationId, [id, otherId]);
    await tx.sql.rows(CONVERSATIONS, [tx.organizationId, id, otherId]);
    await makeRoomForRuns(tx, id, otherId);
    await moveEverything(tx, id, otherId);
    await moveIdentities(tx, survivor, other);
    await writePerson(tx, merged);
    await writeFlags(tx, merged, survivor, other);
    const listed = await honourOptOuts(tx, id);
    if (merged.opted_out || listed) await skipPending(tx, id, 'opted_out');
    await audit(tx, {
      action: 'contact.merged',
      target: { type: 'contact', id, name: merged.name },
      changes: [
        { field: 'merged_contact', from: otherId, to: id },
        ...changesBetween(auditable(survivor), auditable(merged)),
      ],
    });
    return getContact(tx, id);
  });

const itself = (): AppError =>
  validation([
    { path: 'contact_id', rule: 'other', message: 'Name another contact than this one.' },
  ]);

/** Fills the survivor's gaps from the other contact, and joins lists up to their limits. */
function together(survivor: Person, other: Person): Person {
  const custom = Object.entries({ ...other.custom, ...survivor.custom });
  const own = custom.filter(([key]) => Object.hasOwn(survivor.custom, key));
  const added = custom.filter(([key]) => !Object.hasOwn(survivor.custom, key));
  const notes = [survivor.notes, other.notes].filter((text) => text !== '').join('\n\n');
  const birth = survivor.birth_date === null ? other : survivor;
  const refusals = [survivor, other].filter((person) => person.opted_out);
  // What was said to the business stands above WhatsApp's switch, which may be switched back.
  const said = refusals.find(({ opt_out_source: source }) => source !== 'whatsapp');
  const refusal = said ?? refusals[0] ?? survivor;
  return {
    ...survivor,
    name: survivor.name || other.name,
    phone: survivor.phone ?? other.phone,
    phone_key: survivor.phone_key ?? other.phone_key,
    email: survivor.email ?? other.email,
    owner_id: survivor.owner_id ?? other.owner_id,
    tags: distinctTags([...survivor.tags, ...other.tags]).slice(0, MAX_TAGS),
    custom: Object.fromEntries([...own, ...added].slice(0, MAX_CUSTOM)),
    birth_date: birth.birth_date,
    birth_year_known: birth.birth_year_known,
    language: survivor.language ?? other.language,
    time_zone: survivor.time_zone ?? other.time_zone,
    notes: [...notes].slice(0, MAX_NOTES).join(''),
    blocked: survivor.blocked || other.blocked,
    opted_out: refusal.opted_out,
    opted_out_at: refusal.opted_out_at,
    opt_out_source: refusal.opt_out_source,
    opt_out_message_id: refusal.opt_out_message_id,
    consent: survivor.consent ?? other.consent,
  };
}

/** Taking a step of a run, and acting on a message, lock the conversation first. */
const CONVERSATIONS = `
select v.id from conversations v
where v.organization_id = $1 and v.contact_id in ($2, $3) order by v.id for update`;

/**
 * Moves all identities of the other contact to the survivor. A second phone is also stored under its match key, so
 * that the person is found whichever spelling WhatsApp uses.
 */
async function moveIdentities(tx: Context, survivor: Person, other: Person): Promise<void> {
  const keys = await phonesOf(tx, other.id);
  const takesPhone = survivor.phone === null;
  await tx.sql.rows(
    `update contact_identities set contact_id = $2, is_primary = is_primary and type = 'phone' and $4
     where organization_id = $1 and contact_id = $3`,
    [tx.organizationId, survivor.id, other.id, takesPhone],
  );
  await tx.sql.rows(
    `insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
     select distinct $1, $2, 'phone', key, false, $4::timestamptz from unnest($3::text[]) key
     on conflict do nothing`,
    [tx.organizationId, survivor.id, takesPhone ? [] : keys, tx.now],
  );
}

const writeFlags = async (
  tx: Context,
  merged: Person,
  survivor: Person,
  other: Person,
): Promise<void> => {
  const gone = await tx.sql.rows<Marks>(
    `delete from contacts where organization_id = $1 and id = $2
     returning last_inbound_at, last_outbound_at, whatsapp_status, no_whatsapp_since, opt_out_confirmed_at,
       opted_in_at`,
    [tx.organizationId, other.id],
  );
  const marks = gone[0];
  await tx.sql.rows(
    `update contacts set phone = $3, phone_key = $4, opted_out = $5, opted_out_at = $6, opt_out_source = $7,
       opt_out_message_id = $8, consent = $9, last_inbound_at = greatest(last_inbound_at, $10),
       last_outbound_at = greatest(last_outbound_at, $11),
       whatsapp_status = case when whatsapp_status = 'unknown' then $12 else whatsapp_status end,
       opt_out_confirmed_at = greatest(opt_out_confirmed_at, $13), opted_in_at = greatest(opted_in_at, $16),
       no_whatsapp_since = coalesce(no_whatsapp_since, $14), reached_since = $15
     where organization_id = $1 and id = $2`,
    [
      tx.organizationId,
      survivor.id,
      merged.phone,
      merged.phone_key,
      merged.opted_out,
      merged.opted_out_at,
      merged.opt_out_source,
      merged.opt_out_message_id,
      merged.consent === null ? null : JSON.stringify(merged.consent),
      marks?.last_inbound_at ?? null,
      marks?.last_outbound_at ?? null,
      survivor.phone === null ? (marks?.whatsapp_status ?? 'unknown') : 'unknown',
      marks?.opt_out_confirmed_at ?? null,
      survivor.phone === null ? (marks?.no_whatsapp_since ?? null) : null,
      tx.now,
      marks?.opted_in_at ?? null,
    ],
  );
};

interface Marks {
  readonly last_inbound_at: Date | null;
  readonly last_outbound_at: Date | null;
  readonly whatsapp_status: string;
  readonly no_whatsapp_since: Date | null;
  readonly opt_out_confirmed_at: Date | null;
  readonly opted_in_at: Date | null;
}
