import type { ReadContext } from '../context.ts';
import { first } from '../db/sql.ts';
import { notFound, validation } from '../errors.ts';
import { isId } from '../ids.ts';
import {
  bodyOf,
  type DeliveryRow,
  findDelivery,
  listAttempts,
  SHOWN_DELIVERY,
} from './delivery-queries.ts';
import { presentAttempt, presentDelivery, shownStatus } from './present.ts';
import { attemptsToCome } from './schedule.ts';
import { type DeliveryDetailView, type DeliveryView, deliveryStatus } from './schema.ts';

// What an operator sees at the command line: the deliveries of all endpoints, listeners and deleted ones too.

/** Where a delivery goes to. */
export interface Destination {
  readonly name: string;
  readonly url: string;
}

export interface DeliverySearch {
  readonly endpointId?: string | undefined;
  readonly status?: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
}

type Row = DeliveryRow & Destination & { readonly paused: boolean };

// Each endpoint's newest by its own index, then the newest of these.
const NEWEST = `
  select d.*, e.name, e.url, e.paused
  from (select id, name, url, status = 'paused' as paused from webhook_endpoints
        where organization_id = $1 and ($2::text is null or id = $2)) e
  cross join lateral (
    select ${SHOWN_DELIVERY} from webhook_deliveries d
    where d.organization_id = $1 and d.endpoint_id = e.id
      and ($3::text is null or case when e.paused and d.finished_at is null then 'held' else d.status end = $3)
    order by d.id desc limit $4) d
  order by d.id desc limit $4`;

/** The workspace's newest deliveries. Throws 422 `validation` for a status that does not exist or a limit out of bounds. */
export async function searchDeliveries(
  ctx: Pick<ReadContext, 'sql' | 'organizationId'>,
  { endpointId, status, limit }: DeliverySearch,
): Promise<(DeliveryView & Destination)[]> {
  const statuses = deliveryStatus.options;
  if (status !== undefined && !statuses.some((known) => known === status)) {
    const message = `The status is one of ${statuses.join(', ')}.`;
    throw validation([{ path: 'status', rule: 'enum', allowed: statuses, message }]);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) {
    const message = `The limit is a whole number from 1 to ${MOST}.`;
    throw validation([{ path: 'limit', rule: 'range', limit: MOST, message }]);
  }
  const params = [ctx.organizationId, endpointId ?? null, status ?? null, limit];
  const rows = await ctx.sql.rows<Row>(NEWEST, params);
  return rows.map((row) => ({ ...presentDelivery(row, row.paused), name: row.name, url: row.url }));
}

const MOST = 1_000;

/** One delivery with its body, the attempts made and those to come. Throws 404. */
export async function inspectDelivery(
  ctx: Pick<ReadContext, 'sql' | 'organizationId' | 'actor' | 'now'>,
  deliveryId: string,
): Promise<DeliveryDetailView & Destination> {
  const to = await destinationOf(ctx, deliveryId);
  const row = await findDelivery(ctx, { endpointId: to.endpointId, deliveryId });
  const body = row && (await bodyOf(ctx, row.event_id));
  if (!row || body === null) throw notFound('delivery');
  const attempts = await listAttempts(ctx, deliveryId);
  const status = shownStatus(row, to.paused);
  const underway = { ...row, status, nextAttemptAt: row.next_attempt_at };
  return {
    ...presentDelivery(row, to.paused),
    name: to.name,
    url: to.url,
    body,
    attempt_log: attempts.map(presentAttempt),
    schedule: attemptsToCome(underway, ctx.now).map((at) => at.toISOString()),
  };
}

interface Place extends Destination {
  readonly endpointId: string;
  readonly paused: boolean;
}

/** The endpoint of a delivery that is named by its id alone. Throws 404. */
export async function destinationOf(
  { sql, organizationId }: Pick<ReadContext, 'sql' | 'organizationId'>,
  deliveryId: string,
): Promise<Place> {
  const place = isId('dlv', deliveryId)
    ? await first<Place>(
        sql,
        `select e.id as "endpointId", e.name, e.url, e.status = 'paused' as paused
         from webhook_deliveries d join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
         where d.organization_id = $1 and d.day = wms.id_day($2) and d.id = $2`,
        [organizationId, deliveryId],
      )
    : null;
  if (!place) throw notFound('delivery');
  return place;
}
