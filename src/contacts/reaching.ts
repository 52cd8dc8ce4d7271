import type { Sql } from '../db/sql.ts';

/**
 * Notes that messages arrived with these contacts: they are on WhatsApp, and earlier losses count no more
 * (design decisions §12). Only those of whom this is news are touched, in the order of their ids.
 *
 * @param sql inside a transaction bound to the workspace.
 */
export async function noteReached(
  sql: Sql,
  organizationId: string,
  contactIds: readonly string[],
): Promise<void> {
  if (contactIds.length === 0) return;
  await sql.rows(
    `with news as (
       select id from contacts
       where organization_id = $1 and id = any($2) and (whatsapp_status <> 'valid' or no_whatsapp_since is not null)
       order by id for no key update)
     update contacts c set whatsapp_status = 'valid', no_whatsapp_since = null from news
     where c.organization_id = $1 and c.id = news.id`,
    [organizationId, contactIds],
    'contacts-reached',
  );
}
