import type { Context } from '../context.ts';

/** Who wrote, on which number, when. */
export interface Reply {
  readonly contactId: string;
  readonly numberId: string;
  readonly at: Date;
}

const COUNTS_FOR = '7 days';

/**
 * Counts a message as the reply to the campaign that last reached its contact on this number within the
 * last 7 days. Later ones of the same contact count no more.
 */
export async function noteReply(
  { sql, organizationId }: Pick<Context, 'sql' | 'organizationId'>,
  { contactId, numberId, at }: Reply,
): Promise<void> {
  await sql.rows(
    `with reached as (
       select r.campaign_id, r.id from campaign_recipients r
       join campaigns c on c.organization_id = r.organization_id and c.id = r.campaign_id
       where r.organization_id = $1 and r.contact_id = $2 and c.number_id = $3
         and r.status in ('sent', 'delivered', 'read') and r.settled_at > $4::timestamptz - interval '${COUNTS_FOR}'
       order by r.settled_at desc limit 1)
     update campaign_recipients r set replied_at = $4 from reached
     where r.organization_id = $1 and r.campaign_id = reached.campaign_id and r.id = reached.id
       and r.replied_at is null`,
    [organizationId, contactId, numberId, at],
  );
}
