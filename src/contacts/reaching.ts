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
  await sql.rows(NOTE[by], [organizationId, contactIds], `contacts-reached-by-${by}`);
}

const noteWhere = (news: string): string => `
with news as (
  select id from contacts
  where organization_id = $1 and id = any($2) and (${news} or no_whatsapp_since is not null)
  order by id for no key update)
update contacts c set whatsapp_status = 'valid', no_whatsapp_since = null from news
where c.organization_id = $1 and c.id = news.id`;

const NOTE = {
  message: noteWhere("whatsapp_status <> 'valid'"),
  campaign: noteWhere("whatsapp_status = 'invalid'"),
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
