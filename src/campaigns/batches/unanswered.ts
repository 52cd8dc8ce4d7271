import { inWorkspace } from '../../db/database.ts';
import { untilWritten } from '../../db/until-written.ts';
import type { Place } from './claiming.ts';
import type { Claimed } from './claims.ts';
import type { SendingDeps } from './deps.ts';
import type { Job } from './job.ts';

const RESERVED = `
select r.id as "recipientId", r.message_id as "messageId", r.contact_id as "contactId", '' as name,
  coalesce(r.phone, '') as phone, r.text, r.attempts, r.attempt_token as token,
  exists (select from messages m where m.organization_id = $1 and m.id = r.message_id) as written
from campaign_recipients r
where r.organization_id = $1 and r.campaign_id = $2 and r.status = 'sending' and r.attempt_token = $3`;

/**
 * Recipients of a claim that was never answered, because the database went away after it had committed it: certainly
 * nobody was written to. It is the last claim of its batch. Ask once everything that is known to be claimed is settled.
 */
export const unanswered = (
  { database }: SendingDeps,
  { organizationId, campaignId }: Job,
  { token, countedOn }: Pick<Place, 'token' | 'countedOn'>,
): Promise<Claimed[]> =>
  untilWritten(async () => {
    const rows = await inWorkspace(database, organizationId, (sql) =>
      sql.rows<Claimed>(RESERVED, [organizationId, campaignId, token], 'campaign-reserved'),
    );
    return rows.map((row) => (countedOn === undefined ? row : { ...row, countedOn }));
  });
