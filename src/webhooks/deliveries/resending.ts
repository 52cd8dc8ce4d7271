import { audit } from '../../audit/service.ts';
import type { Context } from '../../context.ts';
import { first, type Sql } from '../../db/sql.ts';
import { transact } from '../../db/transact.ts';
import { notFound } from '../../errors.ts';
import { commandFact, insertFacts } from '../../outbox/record.ts';
import { bringInLine, lockEndpoint, wakeDeliveries } from '../changing.ts';
import { presentDelivery, shownStatus } from '../present.ts';
import type { DeliveryView } from '../schema.ts';
import { type DeliveryPlace, findDelivery, type StoredDelivery } from './queries.ts';
import { COUNT_FAILING, RESEND_CHUNK, RESEND_ONE } from './resending-queries.ts';

/** A repeated request within this time is ignored, as a double click. */
const SAME_WISH_MS = 2_000;
/** How many are resent within the request itself; the drain does the rest. */
const AT_ONCE = 200;

/** A share lock: pausing or deleting the endpoint waits for this transaction, or precedes it. */
const ENDPOINT = `
  select status = 'paused' as paused from webhook_endpoints
  where organization_id = $1 and id = $2 and deleted_at is null and kind = any($3) for share`;

const kindsOf = (listeners: boolean): readonly string[] =>
  listeners ? ['endpoint', 'listener'] : ['endpoint'];

/**
 * Resends one delivery at once, with the same id and body and a new budget of 12 attempts and 24 hours; a waiting
 * timer ends (design decisions §15). If the endpoint is paused, the delivery is held. A delivery that is about to be
 * sent anyway, or was resent a moment ago, is returned unchanged.
 */
export const resendDelivery = async (ctx: Context, place: DeliveryPlace): Promise<DeliveryView> =>
  (await resendOne(ctx, place, false)).delivery;

/**
 * The same; `resent` tells a delivery that was from one that is returned unchanged.
 *
 * @param listeners whether a developer's machine counts as an endpoint: for `wms deliveries`
 */
export function resendOne(
  ctx: Context,
  place: DeliveryPlace,
  listeners: boolean,
): Promise<{ readonly delivery: DeliveryView; readonly resent: boolean }> {
  return transact(ctx, async (tx) => {
    const { sql, organizationId, now } = tx;
    const params = [organizationId, place.endpointId, kindsOf(listeners)];
    // Before the delivery: whoever records attempts needs its row, and would wait as long as this does.
    const endpoint = await first<{ paused: boolean }>(sql, ENDPOINT, params);
    const found = await takeDelivery(tx, place);
    if (!found || !endpoint) throw notFound('delivery');
    const { paused } = endpoint;
    if (!maySendAgain(found, paused, now))
      return { delivery: presentDelivery(found, paused), resent: false };
    await sql.rows(RESEND_ONE, [organizationId, found.id, paused, now], 'resend-one');
    if (found.owned && found.finished_at === null)
      await wakeDeliveries(tx, place.endpointId, [
        { deliveryId: found.id, eventId: found.event_id },
      ]);
    tx.recorded.add('deliveries');
    const target = { type: 'delivery', id: found.id, name: found.type };
    await audit(tx, { action: 'delivery.resent', target });
    const after = (await findDelivery(tx, place)) ?? found;
    return { delivery: presentDelivery(after, paused), resent: true };
  });
}

/**
 * An attempt has the delivery first and may then need the endpoint. So this waits for less than the second after which
 * PostgreSQL would end one of the two, lets the attempt pass and begins anew.
 */
async function takeDelivery(tx: Context, place: DeliveryPlace): Promise<StoredDelivery | null> {
  await tx.sql.rows("set local lock_timeout = '500ms'");
  const found = await findDelivery(tx, place, 'for update');
  await tx.sql.rows('set local lock_timeout = 0');
  return found;
}

function maySendAgain(found: StoredDelivery, paused: boolean, now: Date): boolean {
  const status = shownStatus(found, paused);
  if (status === 'pending' || status === 'held' || found.inFlight) return false;
  return !found.resentAt || now.getTime() - found.resentAt.getTime() >= SAME_WISH_MS;
}

export interface ResendRequest {
  readonly organizationId: string;
  readonly endpointId: string;
  /** Deliveries resent, or first attempted, after this moment are left alone. */
  readonly before: Date;
  readonly limit: number;
  /** The lane attempts at once; the backlog waits its turn. With a paused endpoint, both are held. */
  readonly to: 'lane' | 'backlog';
}

/**
 * Resends the oldest failing deliveries, each with a new budget, and wakes the workflows whose timers end. Safe to
 * repeat. `sql` belongs to a transaction that has locked the endpoint.
 *
 * @returns how many there were; fewer than the limit if none are left
 */
export async function resendChunk(
  sql: Sql,
  { organizationId, endpointId, before, limit, to }: ResendRequest,
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
 * Resends everything that still fails: retrying, failed and blocked. The oldest go at once; if there are many, the
 * others follow as the endpoint accepts them.
 *
 * @param listeners whether a developer's machine counts as an endpoint: for `wms webhook resend`
 * @returns how many are resent in all
 */
export function resendFailing(
  ctx: Context,
  endpointId: string,
  listeners = false,
): Promise<{ resent: number }> {
  return transact(ctx, async (tx) => {
    const { sql, organizationId, now } = tx;
    const count = async (): Promise<number> => {
      const params = [organizationId, endpointId, now, SAME_WISH_MS];
      return (await first<{ n: number }>(sql, COUNT_FAILING, params, 'count-failing'))?.n ?? 0;
    };
    // Counted before the lock, because that may take long, and whoever sends for the endpoint needs its row.
    const counted = await count();
    const kinds = kindsOf(listeners);
    const { name, resendBefore } = await lockEndpoint(tx, endpointId, 'update', kinds);
    // What an earlier click has left to the drain is on its way.
    if (resendBefore && now.getTime() - resendBefore.getTime() < SAME_WISH_MS) return { resent: 0 };
    const request = {
      organizationId,
      endpointId,
      before: now,
      limit: AT_ONCE,
      to: 'lane',
    } as const;
    const atOnce = await resendChunk(sql, request);
    // Some may be locked, by workflows that only look at them.
    const left = atOnce.resent < AT_ONCE ? await count() : Math.max(0, counted - AT_ONCE);
    const resent = atOnce.resent + left;
    if (resent === 0) return { resent };
    if (atOnce.woken > 0) tx.recorded.add('commands');
    tx.recorded.add('deliveries');
    if (left > 0) {
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
