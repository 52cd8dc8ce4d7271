import { inWorkspace } from '../../db/database.ts';
import type { Sql } from '../../db/sql.ts';
import { untilWritten } from '../../db/until-written.ts';
import type { Claimed } from './claims.ts';
import type { Job } from './job.ts';
import { settleBatch } from './reacting.ts';
import type { SendingDeps } from './sending.ts';

const RESERVED = `
select id as "recipientId", message_id as "messageId", contact_id as "contactId", '' as name,
  coalesce(phone, '') as phone, text, attempts
from campaign_recipients
where organization_id = $1 and campaign_id = $2 and status = 'sending' and attempt_token = $3`;

const reservedUnder = (
  sql: Sql,
  { organizationId, campaignId }: Job,
  token: string,
): Promise<Claimed[]> =>
  sql.rows<Claimed>(RESERVED, [organizationId, campaignId, token], 'campaign-reserved');

/**
 * Returns recipients of a claim that was never answered, because the database went away after it had committed it:
 * certainly nobody was written to. Call it once everything that is known to be reserved under the token is settled.
 */
export async function returnUnanswered(deps: SendingDeps, job: Job, token: string): Promise<void> {
  await untilWritten(async () => {
    const rows = await inWorkspace(deps.database, job.organizationId, (sql) =>
      reservedUnder(sql, job, token),
    );
    if (rows.length === 0) return;
    await settleBatch(
      deps,
      job,
      token,
      rows.map((row) => ({ status: 'pending', row, called: false, delayMs: 0 })),
    );
  });
}
