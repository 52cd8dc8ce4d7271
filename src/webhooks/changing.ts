import { first } from '../db/sql.ts';
import { notFound } from '../errors.ts';
import type { WebhookEventType } from '../outbox/events.ts';
import { commandFact, type Recording, recordCommand, recordFacts } from '../outbox/record.ts';
import { OWNED } from './lanes/rows.ts';
import type { EndpointStatus } from './rules.ts';

/** An endpoint that no one else can change until this transaction ends. */
export interface LockedEndpoint {
  readonly id: string;
  readonly name: string;
  readonly events: readonly WebhookEventType[];
  readonly status: EndpointStatus;
  readonly pausedAt: Date | null;
  readonly pausedByOperator: boolean;
  /** Encrypted. */
  readonly secret: string;
  readonly memberId: string | null;
  /** When all that failed was last resent, as long as the drain has some of it left. */
  readonly resendBefore: Date | null;
}

const LOCK = `
  select id, name, events, status, paused_at as "pausedAt", paused_by_operator as "pausedByOperator", secret,
    member_id as "memberId", resend_before as "resendBefore" from webhook_endpoints
  where organization_id = $1 and id = $2 and deleted_at is null and kind = any($3)`;

/**
 * `update` excludes everyone else, `share` only those who would change it. Throws 404 for a deleted endpoint, and for
 * a listener (`wms listen`), which the API does not know, unless its kind is named.
 */
export async function lockEndpoint(
  { sql, organizationId }: Recording,
  id: string,
  mode: 'update' | 'share',
  kinds: readonly string[] = ['endpoint'],
): Promise<LockedEndpoint> {
  const params = [organizationId, id, kinds];
  const found = await first<LockedEndpoint>(sql, `${LOCK} for ${mode}`, params);
  if (!found) throw notFound('webhook');
  return found;
}

const OWNED_OF = `
  select d.id as "deliveryId", d.event_id as "eventId" from webhook_deliveries d
  where d.organization_id = $1 and d.endpoint_id = $2 and ${OWNED}`;

interface Owned {
  readonly deliveryId: string;
  readonly eventId: string;
}

/** Wakes every workflow that waits to make an attempt for this endpoint: 200 at most. */
export async function wakeRetries(tx: Recording, endpointId: string): Promise<void> {
  const owned = await tx.sql.rows<Owned>(OWNED_OF, [tx.organizationId, endpointId], 'owned-of');
  await wakeDeliveries(tx, endpointId, owned);
}

/** Wakes the workflows of these deliveries, in the caller's transaction. */
export async function wakeDeliveries(
  tx: Recording,
  endpointId: string,
  deliveries: readonly Owned[],
): Promise<void> {
  await recordFacts(
    tx,
    deliveries.map((delivery) => commandFact('delivery.changed', { ...delivery, endpointId })),
  );
}

/** Adjusts the endpoint's deliveries to its changed row, and tells processes to drop what they took for it. */
export async function bringInLine(tx: Recording, endpointId: string): Promise<void> {
  await recordCommand(tx, 'endpoint.changed', { endpointId });
  tx.recorded.add('endpoints');
}
