import type { Sql } from '../db/sql.ts';

/**
 * SQL that is true of a conversation `v` of the contact `c` in which a message of ours arrived since the contact has
 * its phone. Messages of campaigns are not noted with the contact: whoever says how it stands looks for them.
 */
export const REACHED = `exists (select from messages m where m.organization_id = v.organization_id
  and m.conversation_id = v.id and m.delivered_at > coalesce(c.reached_since, '-infinity'))`;

/**
 * Notes that messages arrived with these contacts: they are on WhatsApp, and earlier losses count no more
 * (design decisions §12). Only those of whom this is news are touched, in the order of their ids; of the messages
 * of campaigns, only those who were in doubt.
 *
 * @param sql inside a transaction bound to the workspace.
 */
export async function noteReached(
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
  by: keyof typeof NOTE,
): Promise<void> {
  if (contactIds.length === 0) return;
  const ids = [...new Set(contactIds)].sort();
  await sql.rows(NOTE[by], [organizationId, ids], `contacts-reached-by-${by}`);
}

// Each is looked up by itself and changed by its address, so that no plan reads all contacts of the workspace.
const noteWhere = (news: string): string => `
with news as (
  select c.contact_at from unnest($2::text[]) i (id) cross join lateral (
    select c.ctid as contact_at from contacts c
    where c.organization_id = $1 and c.id = i.id and (${news} or c.no_whatsapp_since is not null)
    limit 1 for no key update) c)
update contacts c set whatsapp_status = 'valid', no_whatsapp_since = null from news
where c.ctid = news.contact_at`;

const NOTE = {
  message: noteWhere("c.whatsapp_status <> 'valid'"),
  campaign: noteWhere("c.whatsapp_status = 'invalid'"),
};

/** Whom messages of campaigns reached is noted with them, before the messages leave them or they their phone. */
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
