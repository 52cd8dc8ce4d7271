import { inWorkspace } from '../../db/database.ts';
import { untilWritten } from '../../db/until-written.ts';
import type { Place } from './claiming.ts';
import type { Claimed } from './claims.ts';
import type { Job } from './job.ts';
import type { SendingDeps } from './sending.ts';

const RESERVED = `
select id as "recipientId", message_id as "messageId", contact_id as "contactId", '' as name,
  coalesce(phone, '') as phone, text, attempts, attempt_token as token
from campaign_recipients
where organization_id = $1 and campaign_id = $2 and status = 'sending' and attempt_token = $3`;

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
