import { first, type Sql } from '../db/sql.ts';

/**
 * SQL: a conversation `v` of contact `c` in which one of our messages arrived since the contact has its phone.
 * Messages of campaigns are not recorded with the contact; callers look for them here.
 */
export const REACHED = `exists (select from messages m where m.organization_id = v.organization_id
  and m.conversation_id = v.id and m.delivered_at > coalesce(c.reached_since, '-infinity'))`;

/**
 * SQL: whether a contact can be written to in a conversation: at its phone, by WhatsApp's id, or at the second phone that
 * wrote there, within its 24 hours.
 */
export const reachable = (now: string, contact = 'c', conversation = 'v'): string =>
  `(${contact}.phone is not null or exists (select from contact_identities i
     where i.organization_id = ${contact}.organization_id and i.contact_id = ${contact}.id and (i.type = 'wa_user'
       or i.type = 'phone' and i.value = ${conversation}.wrote_from and ${conversation}.window_expires_at > ${now})))`;

/**
 * Records that messages arrived with these contacts: they are on WhatsApp, and earlier losses no longer count (design
 * decisions §12). Only contacts for whom this is new are changed, in the order of ids; for messages of campaigns,
 * only those who were in doubt.
 *
 * @param sql inside a transaction bound to the workspace
 */
export async function noteReached(
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
  by: keyof typeof NOTE,
): Promise<void> {
  if (contactIds.length === 0) return;
  const ids = [...new Set(contactIds)].sort();
  const note = () =>
    first<{ missed: boolean }>(sql, NOTE[by], [organizationId, ids], `contacts-reached-by-${by}`);
  if ((await note())?.missed) await note();
}

// Looks up each contact separately and changes it by row address, so that no plan scans all contacts of the
// workspace. One that another transaction was changing has another address afterwards, and is missed, but locked.
const noteWhere = (news: string): string => `
with news as (
  select c.contact_at from unnest($2::text[]) i (id) cross join lateral (
    select c.ctid as contact_at from contacts c
    where c.organization_id = $1 and c.id = i.id and (${news} or c.no_whatsapp_since is not null)
    limit 1 for no key update) c
), noted as (
  update contacts c set whatsapp_status = 'valid', no_whatsapp_since = null from news
  where c.ctid = news.contact_at returning c.id)
select (select count(*) from noted) < (select count(*) from news) as missed`;

const NOTE = {
  message: noteWhere("c.whatsapp_status <> 'valid'"),
  campaign: noteWhere("c.whatsapp_status = 'invalid'"),
};

/**
 * Records who was reached by messages of campaigns, before the messages leave the contact or the contact changes
 * phone.
 */
export const keepReached = (
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
): Promise<unknown> =>
  sql.rows(
    `update contacts c set whatsapp_status = 'valid'
     where c.organization_id = $1 and c.id = any($2) and c.whatsapp_status = 'unknown'
       and exists (select from conversations v
         where v.organization_id = $1 and v.contact_id = c.id and ${REACHED})`,
    [organizationId, contactIds],
    'contacts-keep-reached',
  );
