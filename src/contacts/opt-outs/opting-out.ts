import { audit } from '../../audit/service.ts';
import type { Context, InWorkspace } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { validation } from '../../errors.ts';
import type { ContactWriting } from '../drafts.ts';
import { lockPerson } from '../person.ts';
import { forgetOptOut, identitiesOf, type OptOutSource, phonesOf, rememberOptOut } from './list.ts';

export interface OptOutRequest {
  readonly source: OptOutSource;
  /** The message that proves it; null if there is none. */
  readonly messageId: string | null;
  /** When it was expressed, if that is known; now otherwise. */
  readonly at?: Date;
}

type OptInRequest = Pick<OptOutRequest, 'source' | 'at'> & { readonly reason?: string };

/**
 * Opts a contact out, in the caller's transaction (design decisions §21): marks the contact, skips whatever campaigns
 * still hold for any of the person's identities, and adds the identities to the opt-out list, which outlives the
 * contact. Of two wishes the later moment counts, and one expressed to the business more than WhatsApp's switch, which
 * may be switched back: what comes late undoes no words written after it. Safe to repeat.
 *
 * @returns whether the contact is opted out now
 */
export async function optOut(
  tx: ContactWriting,
  contactId: string,
  { source, messageId, at = tx.now }: OptOutRequest,
): Promise<boolean> {
  const params = [tx.organizationId, contactId, tx.now, source, messageId, at];
  const written = await first<{ name: string; isNew: boolean }>(tx.sql, OPT_OUT, params);
  if (!written && !(await isOptedOut(tx, contactId))) return false;
  await rememberOptOut(tx, contactId);
  await skipPending(tx, contactId, 'opted_out');
  if (written?.isNew)
    await auditChange(tx, 'contact.opted_out', { id: contactId, name: written.name }, { source });
  return true;
}

const SAID_MORE = `(not c.opted_out or c.opt_out_source = 'whatsapp' and $4::text <> 'whatsapp')`;
const OPT_OUT = `
update contacts c set opted_out = true, updated_at = $3,
  opted_out_at = greatest(case when c.opted_out then c.opted_out_at end, $6),
  opt_out_source = case when ${SAID_MORE} then $4 else c.opt_out_source end,
  opt_out_message_id = case when ${SAID_MORE} then $5 else c.opt_out_message_id end
where c.organization_id = $1 and c.id = $2 and (${SAID_MORE} or c.opted_out_at < $6)
  and (c.opted_in_at is null or date_trunc('second', c.opted_in_at) <= $6)
returning c.name, not old.opted_out as "isNew"`;

const isOptedOut = async (
  { sql, organizationId }: ContactWriting,
  contactId: string,
): Promise<boolean> =>
  (
    await sql.rows('select from contacts where organization_id = $1 and id = $2 and opted_out', [
      organizationId,
      contactId,
    ])
  ).length > 0;

/** Somebody who is on the list, and how that wish had reached us. */
interface Listed {
  readonly name: string;
  readonly source: OptOutSource;
  readonly isNew: boolean;
}

/**
 * Called when a contact gets an identity: if the identity is on the opt-out list, the contact is opted out, which is
 * written down; if the contact was already opted out, the identity joins the list. Words on the list stand above
 * WhatsApp's switch, which may be switched back.
 *
 * @returns whether the list opted the contact out
 */
export async function honourOptOuts(tx: ContactWriting, contactId: string): Promise<boolean> {
  const { types, values } = await identitiesOf(tx, contactId);
  const listed = await first<Listed>(
    tx.sql,
    `with listed as (
       select o.* from opt_outs o where o.organization_id = $1 and o.identity_hash in (
         select wms.identity_hash($1, i.type, i.value) from unnest($3::text[], $4::text[]) i (type, value))
       order by o.source = 'whatsapp', o.created_at desc limit 1)
     update contacts c set opted_out = true, opted_out_at = greatest(c.opted_out_at, o.created_at),
       opt_out_source = o.source, opt_out_message_id = o.evidence_message_id, updated_at = $5
     from listed o
     where c.organization_id = $1 and c.id = $2
       and (not c.opted_out or c.opt_out_source = 'whatsapp' and o.source <> 'whatsapp')
     returning c.name, o.source, not old.opted_out as "isNew"`,
    [tx.organizationId, contactId, types, values, tx.now],
  );
  await rememberOptOut(tx, contactId);
  if (!listed?.isNew) return false;
  await auditChange(tx, 'contact.opted_out', { id: contactId, name: listed.name }, listed);
  return true;
}

/**
 * Opts a contact in again: by a word, by WhatsApp's switch, or through a member, who gives the reason. Nothing else
 * clears an opt-out, and none that was expressed later: WhatsApp, which tells whole seconds, may tell of wishes in
 * another order. WhatsApp's switch clears only what it did.
 *
 * @returns whether that changed something
 */
export async function optIn(
  tx: ContactWriting,
  contactId: string,
  request: OptInRequest,
): Promise<boolean> {
  if (request.source === 'message') await noteWords(tx, contactId, request.at ?? tx.now);
  const changed = await first<{ name: string }>(
    tx.sql,
    `update contacts set opted_out = false, opted_out_at = null, opt_out_source = null, opt_out_message_id = null,
       updated_at = $3
     where organization_id = $1 and id = $2 and opted_out and date_trunc('second', opted_out_at) <= $4
       and ($5 <> 'whatsapp' or opt_out_source = 'whatsapp')
     returning name`,
    [tx.organizationId, contactId, tx.now, request.at ?? tx.now, request.source],
  );
  if (!changed) return false;
  await forgetOptOut(tx, contactId);
  await auditChange(tx, 'contact.opted_in', { id: contactId, ...changed }, request);
  return true;
}

/**
 * Words alone: after WhatsApp's switch and a member's doing a STOP that comes late stands, for the one must not undo it, and
 * the other did not know of it.
 */
const noteWords = (
  { sql, organizationId }: ContactWriting,
  contactId: string,
  at: Date,
): Promise<unknown> =>
  sql.rows(
    `update contacts set opted_in_at = greatest(opted_in_at, $3) where organization_id = $1 and id = $2`,
    [organizationId, contactId, at],
  );

/**
 * When the person last said that they want no messages; null if they want some.
 *
 * @param lock keeps them from saying anything else until the transaction ends
 */
export async function optedOutAt(
  { sql, organizationId }: InWorkspace,
  contactId: string,
  { lock = false }: { readonly lock?: boolean } = {},
): Promise<string | null> {
  const row = await first<{ at: Date | null }>(
    sql,
    `select opted_out_at as at from contacts where organization_id = $1 and id = $2 ${lock ? 'for no key update' : ''}`,
    [organizationId, contactId],
  );
  return row?.at?.toISOString() ?? null;
}

/**
 * Notes that a contact told a member that they want no messages: by a call, or in words that are none of the phrases. They
 * get no confirmation, which answers a message.
 *
 * @returns whether the contact is opted out now
 */
export const optOutByMember = (ctx: Context, contactId: string): Promise<boolean> =>
  transact(ctx, async (tx) => {
    await lockPerson(tx, contactId);
    return optOut(tx, contactId, { source: 'member', messageId: null });
  });

const MAX_REASON = 500;

/**
 * Opts a contact in at their request to a member; the reason is recorded in the audit log.
 *
 * @returns whether the contact was opted out
 */
export const optInByMember = (ctx: Context, contactId: string, reason: string): Promise<boolean> =>
  transact(ctx, async (tx) => {
    const written = reason.trim();
    if (written === '' || [...written].length > MAX_REASON) {
      const message = `Write down in 1 to ${MAX_REASON} characters why the opt-out is taken back.`;
      throw validation([{ path: 'reason', rule: 'length', limit: MAX_REASON, message }]);
    }
    await lockPerson(tx, contactId);
    return optIn(tx, contactId, { source: 'member', reason: written });
  });

/** The entry of such a change in the audit log. */
const auditChange = (
  tx: ContactWriting,
  action: 'contact.opted_out' | 'contact.opted_in',
  contact: { readonly id: string; readonly name: string },
  { source, reason }: OptInRequest,
): Promise<void> => {
  const out = action === 'contact.opted_out';
  const changes = [
    { field: 'opted_out', from: !out, to: out },
    { field: 'source', from: null, to: source },
    ...(reason === undefined ? [] : [{ field: 'reason', from: null, to: reason }]),
  ];
  return audit(tx, { action, target: { type: 'contact', ...contact }, changes });
};

/**
 * Skips the person, by contact and by phone, in all campaigns that have not begun to send to them. A recipient being
 * claimed right now is left to the claim, which checks the contact itself.
 */
export async function skipPending(
  tx: ContactWriting,
  contactId: string,
  reason: 'opted_out' | 'no_recipient',
): Promise<void> {
  const keys = await phonesOf(tx, contactId);
  await tx.sql.rows(SKIP, [tx.organizationId, contactId, keys, reason, tx.now]);
}

const SKIP = `
with mine as (
  select r.campaign_id, r.id from campaign_recipients r
  where r.organization_id = $1 and r.contact_id = $2 and r.status = 'pending'
  union
  select r.campaign_id, r.id from campaigns c
  join campaign_recipients r on r.organization_id = $1 and r.campaign_id = c.id and r.identity_key = any($3::text[])
  where c.organization_id = $1 and c.status in ('sending', 'paused') and r.status = 'pending'
), held as (
  select r.campaign_id, r.id, r.message_id from campaign_recipients r join mine using (campaign_id, id)
  where r.organization_id = $1 and r.status = 'pending' for update of r skip locked
), skipped as (
  update campaign_recipients r set status = 'skipped', reason = $4, settled_at = $5, not_before = null
  from held h where r.organization_id = $1 and r.campaign_id = h.campaign_id and r.id = h.id
)
update messages m set status = 'cancelled' from held h
where m.organization_id = $1 and m.id = h.message_id and m.status = 'queued'`;

/** Whether to send the confirmation of an opt-out: once in 24 hours. Asking counts as sending it. */
export async function claimConfirmation(tx: ContactWriting, contactId: string): Promise<boolean> {
  const row = await first(
    tx.sql,
    `update contacts set opt_out_confirmed_at = $3
     where organization_id = $1 and id = $2 and opted_out
       and (opt_out_confirmed_at is null or opt_out_confirmed_at <= $3::timestamptz - interval '24 hours')
     returning id`,
    [tx.organizationId, contactId, tx.now],
  );
  return row !== null;
}
