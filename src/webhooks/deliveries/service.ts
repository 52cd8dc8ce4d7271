import { restrictedMember } from '../../access/visibility.ts';
import type { ReadContext, Seeing } from '../../context.ts';
import { notFound } from '../../errors.ts';
import type { PageOf, PageRequest } from '../../http/route.ts';
import { isId } from '../../ids.ts';
import { presentAttempt, presentDelivery, shownStatus } from '../present.ts';
import type { DeliveryDetailView, DeliveryFilters, DeliveryView } from '../schema.ts';
import { getEndpoint } from '../service.ts';
import {
  bodyOf,
  type DeliveryPlace,
  findDelivery,
  listAttempts,
  listDeliveryRows,
} from './queries.ts';
import { attemptsToCome } from './schedule.ts';

/**
 * How many deliveries are examined for a page, for members who may see few of them; the next page continues from
 * there.
 */
const LOOKED_AT = 1_000;

/**
 * The endpoint's deliveries, newest first; 50 if no limit is given (design decisions §15). A delivery whose event the
 * member may not see is left out, because the receiver's answer may repeat its content.
 */
export async function listDeliveries(
  ctx: ReadContext,
  endpointId: string,
  { status, event_id: eventId }: DeliveryFilters,
  { limit, after }: PageRequest,
): Promise<PageOf<DeliveryView>> {
  const paused = (await getEndpoint(ctx, endpointId)).status === 'paused';
  if (eventId !== undefined && !isId('evt', eventId)) return { data: [], next: null };
  const look = restrictedMember(ctx.actor) ? LOOKED_AT : limit + 1;
  const page = { endpointId, paused, status, eventId, after: after?.id ?? null, limit: look };
  const rows = await listDeliveryRows(ctx, page);
  const seen = rows.filter((row) => row.seen);
  const shown = seen.slice(0, limit);
  const last = seen.length > limit ? shown.at(-1) : rows.length === LOOKED_AT && rows.at(-1);
  return {
    data: shown.map((row) => presentDelivery(row, paused)),
    next: last ? { id: last.id, at: null } : null,
  };
}

/** One delivery with its exact body, its attempts, and when the next ones are due. */
export async function getDelivery(
  ctx: ReadContext,
  place: DeliveryPlace,
): Promise<DeliveryDetailView> {
  const paused = (await getEndpoint(ctx, place.endpointId)).status === 'paused';
  return detailOf(ctx, place, paused);
}

/**
 * @param paused whether its endpoint is paused
 */
export async function detailOf(
  ctx: Seeing & Pick<ReadContext, 'now'>,
  place: DeliveryPlace,
  paused: boolean,
): Promise<DeliveryDetailView> {
  const row = await findDelivery(ctx, place);
  const body = row && (await bodyOf(ctx, row.event_id));
  if (!row || body === null) throw notFound('delivery');
  const attempts = await listAttempts(ctx, row.id);
  const underway = { ...row, status: shownStatus(row, paused), nextAttemptAt: row.next_attempt_at };
  return {
    ...presentDelivery(row, paused),
    body,
    attempt_log: attempts.map(presentAttempt),
    schedule: attemptsToCome(underway, ctx.now).map((at) => at.toISOString()),
  };
}
