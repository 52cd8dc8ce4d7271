import type { InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';
import type { ContactWriting } from '../drafts.ts';
import { phoneKey } from '../identity/phones.ts';

/** How a person's wish reached us: a word, a button, WhatsApp's own switch, what somebody told a member, a file, or a call. */
export type OptOutSource = 'message' | 'button' | 'whatsapp' | 'member' | 'import' | 'api';

/** Phones by their match key, other identities as WhatsApp gives them. */
export async function identitiesOf(
  { sql, organizationId }: InWorkspace,
  contactId: string,
): Promise<{ types: string[]; values: string[] }> {
  const rows = await sql.rows<{ type: string; value: string }>(
    `select type, value from contact_identities where organization_id = $1 and contact_id = $2
     union all
     select 'phone', phone_key from contacts where organization_id = $1 and id = $2 and phone_key is not null`,
    [organizationId, contactId],
  );
  return {
    types: rows.map(({ type }) => type),
    values: rows.map(({ type, value }) => (type === 'phone' ? phoneKey(value) : value)),
  };
}

/** The match keys of a contact's phones, by which recipients of a campaign are unique. */
export async function phonesOf(tx: ContactWriting, contactId: string): Promise<string[]> {
  const { types, values } = await identitiesOf(tx, contactId);
  return values.filter((_, index) => types[index] === 'phone');
}

const LISTED_AGAIN = `created_at = greatest(opt_outs.created_at, excluded.created_at),
  source = case when opt_outs.source = 'whatsapp' then excluded.source else opt_outs.source end,
  evidence_message_id = case when opt_outs.source = 'whatsapp' then excluded.evidence_message_id
    else opt_outs.evidence_message_id end
  where opt_outs.source = 'whatsapp' and excluded.source <> 'whatsapp' or excluded.created_at > opt_outs.created_at`;

/** Adds all identities of an opted-out contact to the list, including those learned since. */
export async function rememberOptOut(tx: ContactWriting, contactId: string): Promise<void> {
  const { types, values } = await identitiesOf(tx, contactId);
  await tx.sql.rows(
    `insert into opt_outs (organization_id, identity_hash, source, evidence_message_id, created_at)
     select distinct $1, wms.identity_hash($1, i.type, i.value), coalesce(c.opt_out_source, 'member'), c.opt_out_message_id,
       coalesce(c.opted_out_at, $5)
     from contacts c, unnest($3::text[], $4::text[]) i (type, value)
     where c.organization_id = $1 and c.id = $2 and c.opted_out
     on conflict (organization_id, identity_hash) do update set ${LISTED_AGAIN}`,
    [tx.organizationId, contactId, types, values, tx.now],
  );
}

/** Takes all identities of a contact who opted in again from the list. */
export async function forgetOptOut(tx: ContactWriting, contactId: string): Promise<void> {
  const { types, values } = await identitiesOf(tx, contactId);
  await tx.sql.rows(
    `delete from opt_outs where organization_id = $1 and identity_hash in (
       select wms.identity_hash($1, i.type, i.value) from unnest($2::text[], $3::text[]) i (type, value))`,
    [tx.organizationId, types, values],
  );
}

/** A person by what WhatsApp told of them, contact or not. */
interface Named {
  readonly phone: string | null;
  readonly waUserId: string | null;
}

/** How and when an identity came onto the list. */
interface Listed {
  readonly source: OptOutSource;
  readonly messageId: string | null;
  readonly at: Date;
}

/** As parameters: the workspace, and the two arrays that `NAMED` joins. */
function named({ organizationId }: InWorkspace, { phone, waUserId }: Named) {
  const types = [...(phone === null ? [] : ['phone']), ...(waUserId === null ? [] : ['wa_user'])];
  const values = [phone === null ? null : phoneKey(phone), waUserId].filter(
    (value) => value !== null,
  );
  return [organizationId, types, values] as const;
}

const NAMED = `select wms.identity_hash($1, i.type, i.value) from unnest($2::text[], $3::text[]) i (type, value)`;

/** The opt-out of a person's identities that counts: words before WhatsApp's switch, which may be switched back. */
export const listedOptOut = (tx: ContactWriting, person: Named): Promise<Listed | null> =>
  first(
    tx.sql,
    `select source, evidence_message_id as "messageId", created_at as at from opt_outs
     where organization_id = $1 and identity_hash in (${NAMED})
     order by source = 'whatsapp', created_at desc limit 1`,
    named(tx, person),
  );

/**
 * Puts a person's identities on the list; a contact created later under one of them gets the opt-out. For somebody who is
 * no contact in the turn of `strangers`, because nobody sees a contact that is being created.
 */
export const listOptOut = (
  tx: ContactWriting,
  person: Named,
  { source, messageId, at }: Listed,
): Promise<unknown> =>
  tx.sql.rows(
    `insert into opt_outs (organization_id, identity_hash, source, evidence_message_id, created_at)
     select $1, hash, $4, $5, $6 from (${NAMED}) named (hash)
     on conflict (organization_id, identity_hash) do update set ${LISTED_AGAIN}`,
    [...named(tx, person), source, messageId, at],
  );

/** Takes what a person who is no contact had switched in WhatsApp until `at` from the list, in the turn of `strangers`. */
export const takeBackSwitch = (tx: ContactWriting, person: Named, at: Date): Promise<unknown> =>
  tx.sql.rows(
    `delete from opt_outs where organization_id = $1 and source = 'whatsapp' and date_trunc('second', created_at) <= $4
       and identity_hash in (${NAMED})`,
    [...named(tx, person), at],
  );
