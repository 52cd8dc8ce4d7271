import type { Sql } from '../../../db/sql.ts';
import { OWNED } from '../rows.ts';
import type { DeliveryIds } from './parts.ts';

/**
 * Overdue retries: their workflow was lost, or waits for a worker. Those with a workflow are few and have their own
 * index; if they were queried in the order of ids directly, the planner would scan all deliveries, for half a second
 * with a hundred thousand held.
 */
export const OVERDUE = `
  with overdue as materialized (
    select d.organization_id as "organizationId", d.id as "deliveryId", d.endpoint_id as "endpointId", d.event_id as "eventId"
    from webhook_deliveries d
    where ${OWNED} and d.status in ('pending', 'retrying')
      and d.next_attempt_at < now() - $1::int * interval '1 millisecond' and d.id > $2)
  select * from overdue order by "deliveryId" limit $3`;

/**
 * @param after the last id of the previous page, or ''
 */
export const overdueRetries = (
  sql: Sql,
  byMs: number,
  after: string,
  limit: number,
): Promise<DeliveryIds[]> =>
  sql.rows<DeliveryIds>(OVERDUE, [byMs, after, limit], 'overdue-retries');
