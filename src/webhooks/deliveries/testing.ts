import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { first } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { validation } from '../../errors.ts';
import type { WebhookEventType } from '../../outbox/events.ts';
import { eventFact } from '../../outbox/record.ts';
import { sampleData } from '../../outbox/samples.ts';
import { type LockedEndpoint, lockEndpoint } from '../changing.ts';
import { deliveryId } from '../lanes/rows.ts';
import { presentDelivery } from '../present.ts';
import type { DeliveryView, TestRequest } from '../schema.ts';
import { type DeliveryRow, SHOWN_DELIVERY } from './queries.ts';

const STORE_EVENT = `
  insert into events (day, organization_id, id, type, body, created_at) values (wms.id_day($2), $1, $2, $3, $4, $5)`;

const STORE_DELIVERY = `
  insert into webhook_deliveries as d (day, organization_id, id, endpoint_id, event_id, type, status, in_backlog, held_at, created_at, lease_until)
  values (wms.id_day($2), $1, ${deliveryId('$2', '$3')}, $3, $2, $4,
    case when $5 then 'held' else 'pending' end, $5, case when $5 then $6::timestamptz end, $6, now())
  returning ${SHOWN_DELIVERY}`;

/**
 * Sends an event with example data to this endpoint only, signed and retried like any other; held if the endpoint is
 * paused. Throws 422 for a type that the endpoint does not subscribe to.
 */
export function sendTestEvent(
  ctx: Context,
  id: string,
  { type: wished }: TestRequest,
): Promise<DeliveryView> {
  return transact(ctx, async (tx) => {
    const endpoint = await lockEndpoint(tx, id, 'share');
    const type = typeToSend(endpoint, wished);
    const { organizationId, now } = tx;
    const event = eventFact(organizationId, type, sampleData[type], now);
    const paused = endpoint.status === 'paused';
    await tx.sql.rows(STORE_EVENT, [organizationId, event.id, type, event.payload, now]);
    const params = [organizationId, event.id, id, type, paused, now];
    const row = await first<DeliveryRow>(tx.sql, STORE_DELIVERY, params);
    if (!row) throw new Error('the delivery was not stored');
    tx.recorded.add('deliveries');
    await audit(tx, {
      action: 'webhook.tested',
      target: { type: 'webhook', id, name: endpoint.name },
      changes: [{ field: 'type', from: null, to: type }],
    });
    return presentDelivery(row, paused);
  });
}

function typeToSend(
  { events }: LockedEndpoint,
  wished: WebhookEventType | undefined,
): WebhookEventType {
  const type = wished ?? events[0];
  if (type && events.includes(type)) return type;
  const message = `The endpoint gets ${events.join(', ')}. Add the event to it first.`;
  throw validation([{ path: 'type', rule: 'not_subscribed', allowed: events, message }]);
}
