import type { Context } from '../../context.ts';
import { advisoryLockShared } from '../../db/advisory-locks.ts';
import { wordsIn } from '../../db/sql.ts';

/**
 * Campaigns for the other contact are for the survivor `id`. A page of an audience is written down before this, or sees
 * the person as they are afterwards. In the caller's transaction.
 */
export async function mergeAudiences(tx: Context, id: string, otherId: string): Promise<void> {
  const params = [tx.organizationId, id, otherId];
  // Campaigns before the turn, as whoever writes an audience down takes them.
  await tx.sql.rows(LISTED, params);
  await advisoryLockShared(tx.sql, 'audience', tx.organizationId);
  await tx.sql.rows(onlyOnce('$3', '$2', ['pending']), [...params, tx.now]);
  await tx.sql.rows(onlyOnce('$2', '$3', []), [...params, tx.now]);
  await tx.sql.rows(RECIPIENTS, params);
}

const LISTED = `
update campaigns set contact_ids = array_replace(contact_ids, $3, $2)
where organization_id = $1 and frozen_at is null and status in ('draft', 'scheduled', 'sending', 'paused')
  and contact_ids @> array[$3::text]`;

/**
 * If a campaign is for both contacts, the person gets one message: a pending recipient is skipped if the other one
 * was sent to, may have been, or will be.
 */
const onlyOnce = (waiting: string, other: string, alsoIf: readonly 'pending'[]): string => {
  const reached = [...alsoIf, 'sending', 'sent', 'delivered', 'read', 'unconfirmed'];
  return `with over as (
     update campaign_recipients r set status = 'skipped', reason = 'duplicate', settled_at = $4, not_before = null
     where r.organization_id = $1 and r.contact_id = ${waiting} and r.status = 'pending' and exists (
       select from campaign_recipients s where s.organization_id = $1 and s.campaign_id = r.campaign_id
         and s.contact_id = ${other} and s.status in ${wordsIn(reached)})
     returning r.message_id)
   update messages m set status = 'cancelled' from over
   where m.organization_id = $1 and m.id = over.message_id and m.status = 'queued'`;
};

const RECIPIENTS = `
update campaign_recipients set contact_id = $2 where organization_id = $1 and contact_id = $3`;
