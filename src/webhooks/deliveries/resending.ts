import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { transactAgain } from '../../db/deadlocks.ts';
import { first, type Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { notFound } from '../../errors.ts';
import { commandFact, insertFacts } from '../../outbox/record.ts';
import { bringInLine, lockEndpoint, wakeDeliveries } from '../changing.ts';
import { presentDelivery, shownStatus } from '../present.ts';
import type { DeliveryView } from '../schema.ts';
import { type DeliveryPlace, findDelivery, type StoredDelivery } from './queries.ts';
import { COUNT_FAILING, RESEND_CHUNK, RESEND_ONE } from './resending-queries.ts';

/** A second wish within this time is the same one: a double click. */
const SAME_WISH_MS = 2_000;
/** Sent again within the request itself; the drain does the rest. */
const AT_ONCE = 200;

/** A share lock: whoever pauses or deletes the endpoint waits for this transaction, or comes first. */
const ENDPOINT = `
  select status = 'paused' as paused from webhook_endpoints
  where organization_id = $1 and id = $2 and deleted_at is null and kind = any($3) for share`;

/**
 * Sends one delivery again at once: same id and body, a new budget of 12 attempts and 24 hours; a waiting
 * timer ends (design decisions §15). While the endpoint is paused it is held. What is about to be sent
 * anyway, and what was sent again a moment ago, is answered as it stands.
 *
 * @param listeners whether a developer's machine counts as an endpoint: for `wms deliveries`
 */
export function resendDelivery(
  ctx: Context,
  place: DeliveryPlace,
  listeners = false,
): Promise<DeliveryView> {
  return transactAgain(ctx, async (tx) => {
    const { sql, organizationId, now } = tx;
    // First the delivery, then its endpoint: in the order in which an attempt is recorded.
    const found = await findDelivery(tx, place, 'for update');
    const kinds = listeners ? ['endpoint', 'listener'] : ['endpoint'];
    const params = [organizationId, place.endpointId, kinds];
    const endpoint = await first<{ paused: boolean }>(sql, ENDPOINT, params);
    if (!found || !endpoint) throw notFound('delivery');
    const { paused } = endpoint;
    if (!maySendAgain(found, paused, now)) return presentDelivery(found, paused);
    await sql.rows(RESEND_ONE, [organizationId, found.id, paused, now], 'resend-one');
    if (found.owned && found.finished_at === null)
      await wakeDeliveries(tx, place.endpointId, [
        { deliveryId: found.id, eventId: found.event_id },
      ]);
    tx.recorded.add('deliveries');
    const target = { type: 'delivery', id: found.id, name: found.type };
    await audit(tx, { action: 'delivery.resent', target });
    return presentDelivery((await findDelivery(tx, place)) ?? found, paused);
  });
}

function maySendAgain(found: StoredDelivery, paused: boolean, now: Date): boolean {
  const status = shownStatus(found, paused);
  if (status === 'pending' || status === 'held' || found.inFlight) return false;
  return !found.resentAt || now.getTime() - found.resentAt.getTime() >= SAME_WISH_MS;
}

export interface ResendWish {
  readonly organizationId: string;
  readonly endpointId: string;
  /** What was sent again, or attempted for the first time, after this moment is left alone. */
  readonly before: Date;
  readonly limit: number;
  /** The lane attempts at once; the backlog waits for its turn. A paused endpoint's are held in either case. */
  readonly to: 'lane' | 'backlog';
}

/**
 * Sends the oldest that still fail again, each with a new budget, and wakes the workflows whose timers
 * that ends. Safe to repeat. `sql` is a transaction's, which has the endpoint locked.
 *
 * @returns how many there were, which is less than the limit when no more are left
 */
export async function resendChunk(
  sql: Sql,
  { organizationId, endpointId, before, limit, to }: ResendWish,
): Promise<{ readonly resent: number; readonly woken: number }> {
  const params = [organizationId, endpointId, before, SAME_WISH_MS, limit, to === 'backlog'];
  const rows = await sql.rows<{ deliveryId: string; eventId: string; owned: boolean }>(
    RESEND_CHUNK,
    params,
    'resend-chunk',
  );
  const facts = rows
    .filter(({ owned }) => owned)
    .map(({ deliveryId, eventId }) =>
      commandFact('delivery.changed', { deliveryId, endpointId, eventId }),
    );
  await insertFacts(sql, organizationId, facts);
  return { resent: rows.length, woken: facts.length };
}

const LEAVE_THE_REST = `
  update webhook_endpoints set resend_before = $3, drain_at = $3 where organization_id = $1 and id = $2`;

/**
 * Sends again everything that still fails: retrying, failed and blocked. The oldest at once; when there
 * are many, the others follow as the endpoint takes them.
 *
 * @returns how many are sent again in all
 */
export function resendFailing(ctx: Context, endpointId: string): Promise<{ resent: number }> {
  return transact(ctx, async (tx) => {
    const { sql, organizationId, now } = tx;
    const { name } = await lockEndpoint(tx, endpointId, 'update');
    const counted = await first<{ n: number }>(
      sql,
      COUNT_FAILING,
      [organizationId, endpointId, now, SAME_WISH_MS],
      'count-failing',
    );
    const resent = counted?.n ?? 0;
    if (resent === 0) return { resent };
    const wish = { organizationId, endpointId, before: now, limit: AT_ONCE, to: 'lane' } as const;
    if ((await resendChunk(sql, wish)).woken > 0) tx.recorded.add('commands');
    tx.recorded.add('deliveries');
    if (resent > AT_ONCE) {
      await sql.rows(LEAVE_THE_REST, [organizationId, endpointId, now]);
      await bringInLine(tx, endpointId);
    }
    await audit(tx, {
      action: 'webhook.resent',
      target: { type: 'webhook', id: endpointId, name },
      changes: [{ field: 'deliveries', from: null, to: resent }],
    });
    return { resent };
  });
}
