import { auditAll, type Happening } from '../audit/service.ts';
import { advisoryLockShared } from '../db/advisory-locks.ts';
import { first } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import { eventActor } from '../outbox/actors.ts';
import { type Happened, recordHappenings } from '../outbox/happenings.ts';
import { eventFact, type Fact, recordFacts } from '../outbox/record.ts';
import type { ContactWriting, Draft, Provenance } from './drafts.ts';
import type { Phone } from './identity/phones.ts';
import { createdHappenings } from './telling.ts';

/** A contact that was written; opted out if the opt-out list has its phone. */
export type Added = Draft & { readonly opted_out: boolean };

/** What must still be announced about new contacts, in the transaction that wrote them. */
export interface Unannounced {
  readonly facts: readonly Fact[];
  readonly happened: readonly Happened[];
}

/**
 * Writes new contacts with their identities, audit entries and `contact.created` facts, and returns those written. A
 * contact whose phone someone already has, in any spelling, is left out, even if the other one was created concurrently.
 */
export async function addContacts(
  tx: ContactWriting,
  drafts: readonly Draft[],
  provenance: Provenance,
): Promise<Added[]> {
  const { added, unannounced } = await writeContacts(tx, drafts, provenance);
  await announce(tx, unannounced);
  return added;
}

/** Records the announcements left over from `writeContacts`. */
export async function announce(
  tx: ContactWriting,
  { facts, happened }: Unannounced,
): Promise<void> {
  await recordFacts(tx, facts);
  await recordHappenings(tx, happened);
}

/** Like `addContacts`, but leaves the announcements to the caller, who has more to announce in the same statement. */
export async function writeContacts(
  tx: ContactWriting,
  drafts: readonly Draft[],
  provenance: Provenance,
): Promise<{ readonly added: Added[]; readonly unannounced: Unannounced }> {
  if (drafts.length === 0) return { added: [], unannounced: { facts: [], happened: [] } };
  // In a statement before, so that this one reads the list as those left it who had the turn.
  if (!tx.simulated) await advisoryLockShared(tx.sql, 'strangers', tx.organizationId);
  const rows = await tx.sql.rows<Written>(
    `with fresh as (
       insert into contacts (organization_id, id, name, phone, phone_key, email, owner_id, tags, custom, birth_date,
         birth_year_known, language, time_zone, notes, whatsapp_status, origin, created_via, created_at, updated_at,
         last_inbound_at, opted_out, opted_out_at, opt_out_source, opt_out_message_id)
       select $1, d.id, d.name, d.phone, d.phone_key, d.email, d.owner_id, d.tags, d.custom, d.birth_date,
         d.birth_year_known, d.language, d.time_zone, d.notes, d.whatsapp_status, $3, $4, $5, $5,
         $6, o.created_at is not null, o.created_at, o.source, o.evidence_message_id
       from jsonb_to_recordset($2::jsonb) as d (id text, name text, phone text, phone_key text, email text, owner_id text,
         tags text[], custom jsonb, birth_date date, birth_year_known boolean, language text, time_zone text, notes text,
         whatsapp_status text)
       -- One by one: a plan for many would read all identities and opt-outs of the workspace for one contact.
       left join lateral (select o.created_at, o.source, o.evidence_message_id from opt_outs o
         where o.organization_id = $1 and o.identity_hash = wms.identity_hash($1, 'phone', d.phone_key) offset 0) o on true
       where (select count(*) from contact_identities i
         where i.organization_id = $1 and i.type = 'phone' and i.value in (d.phone, d.phone_key)) = 0
       on conflict (organization_id, phone_key) where phone_key is not null do nothing
       returning id, phone, opted_out),
     known as (
       insert into contact_identities (organization_id, contact_id, type, value, is_primary, created_at)
       select $1, id, 'phone', phone, true, $5 from fresh where phone is not null on conflict do nothing returning contact_id)
     select f.id, f.opted_out, f.phone is not null and k.contact_id is null as taken
     from fresh f left join known k on k.contact_id = f.id`,
    [
      tx.organizationId,
      JSON.stringify(drafts.map(columns)),
      provenance.origin,
      provenance.createdVia,
      tx.now,
      provenance.wroteAt ?? null,
    ],
    'contacts-add',
  );
  const written = new Map((await withoutTaken(tx, rows)).map((row) => [row.id, row.opted_out]));
  const added = drafts.flatMap((draft) => {
    const opted_out = written.get(draft.id);
    return opted_out === undefined ? [] : [{ ...draft, opted_out }];
  });
  await auditAll(
    tx,
    added.map((draft) => createdEntry(draft, provenance)),
  );
  const facts = added.map((draft) =>
    eventFact(tx.organizationId, 'contact.created', createdData(tx, draft, provenance), tx.now),
  );
  return { added, unannounced: { facts, happened: createdHappenings(added, provenance) } };
}

interface Written {
  readonly id: string;
  readonly opted_out: boolean;
  /** Somebody got the phone as a second one since this statement began. */
  readonly taken: boolean;
}

/** Takes back those whose phone is somebody else's by now: who writes from it would be that one. */
async function withoutTaken(tx: ContactWriting, rows: readonly Written[]): Promise<Written[]> {
  const taken = rows.filter((row) => row.taken).map(({ id }) => id);
  if (taken.length > 0)
    await tx.sql.rows('delete from contacts where organization_id = $1 and id = any($2::text[])', [
      tx.organizationId,
      taken,
    ]);
  return rows.filter((row) => !row.taken);
}

const columns = ({ phone, ...draft }: Draft) => ({
  ...draft,
  phone: phone?.e164 ?? null,
  phone_key: phone?.key ?? null,
});

const createdData = (tx: ContactWriting, draft: Draft, provenance: Provenance) => ({
  contact: {
    id: draft.id,
    name: draft.name,
    phone: draft.phone?.e164 ?? '',
    email: draft.email ?? '',
    tags: [...draft.tags],
    origin: provenance.origin,
    created_via: provenance.createdVia,
  },
  created_by: eventActor(tx.actor),
  contact_id: draft.id,
  conversation_id: null,
  number_id: null,
});

const createdEntry = (draft: Draft, provenance: Provenance): Happening => ({
  action: 'contact.created',
  target: { type: 'contact', id: draft.id, name: draft.name },
  changes: [
    { field: 'phone', from: null, to: draft.phone?.e164 ?? null },
    { field: 'email', from: null, to: draft.email },
    { field: 'created_via', from: null, to: provenance.createdVia },
  ],
});

/**
 * A 409 `duplicate` with the id of the contact who has the phone. Contacts are never merged automatically.
 *
 * @param ownId who was to get it
 */
export async function duplicatePhone(
  tx: ContactWriting,
  phone: Phone | null,
  ownId = '',
): Promise<AppError> {
  const holder = await first<{ id: string }>(
    tx.sql,
    `select id from contacts where organization_id = $1 and phone_key = $2 and id <> $4
     union all
     select contact_id from contact_identities
     where organization_id = $1 and type = 'phone' and value = any($3) and contact_id <> $4
     limit 1`,
    [tx.organizationId, phone?.key ?? '', phone ? [phone.e164, phone.key] : [], ownId],
  );
  return new AppError('duplicate', 'Another contact has this phone.', {
    contact_id: holder?.id ?? null,
  });
}
