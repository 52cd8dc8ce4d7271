import type { InWorkspace, ReadContext, Seeing } from '../../context.ts';
import { type Database, sqlOver } from '../../db/database.ts';
import { binding, first } from '../../db/sql.ts';
import { notFound, validation } from '../../errors.ts';
import { isId } from '../../ids.ts';
import { isDeliveryOf } from '../lanes/rows.ts';
import { presentDelivery } from '../present.ts';
import type { DeliveryStatus } from '../rules.ts';
import { type DeliveryDetailView, type DeliveryView, deliveryStatus } from '../schema.ts';
import { branchesOf, type DeliveryRow, SHOWN_DELIVERY } from './queries.ts';
import { detailOf } from './service.ts';

/** Where a delivery goes to. */
export interface Destination {
  readonly name: string;
  readonly url: string;
  readonly deleted: boolean;
}

export interface DeliverySearch {
  readonly endpointId?: string | undefined;
  readonly status?: string | undefined;
  /** `evt_…`: each delivery of this event. */
  readonly eventId?: string | undefined;
  /** 1 to 1,000. */
  readonly limit: number;
}

interface Searched {
  readonly found: readonly (DeliveryView & Destination)[];
  /** Beyond the limit. */
  readonly hasMore: boolean;
}

const MOST = 1_000;

type Row = DeliveryRow & Destination & { readonly paused: boolean };

/**
 * The newest of each endpoint by an index of its own, then the newest of all these.
 *
 * @param also a condition of `d`, whose endpoint is `e`
 */
const newest = (status: DeliveryStatus | undefined, also: string): string => `
  select d.*, e.name, e.url, e.deleted, e.paused
  from (select id, name, url, deleted_at is not null as deleted, status = 'paused' as paused from webhook_endpoints
        where organization_id = $1 and ($2::text is null or id = $2)) e
  cross join lateral (${[true, false]
    .flatMap((paused) =>
      branchesOf(status, paused).map(
        (branch) => `
    (select ${SHOWN_DELIVERY} from webhook_deliveries d
     where e.paused = ${paused} and d.organization_id = $1 and d.endpoint_id = e.id and ${branch} and ${also}
     order by d.id desc limit $3)`,
      ),
    )
    .join(' union all ')}) d
  order by d.id desc limit $3`;

/**
 * What an operator sees at the command line (`wms deliveries`): the workspace's newest deliveries, including those of
 * listeners and deleted endpoints. Throws 422 `validation` for an unknown status, what is no event's id or a limit out of
 * bounds, 404 for an unknown endpoint.
 */
export async function searchDeliveries(
  ctx: InWorkspace,
  { endpointId, status, eventId, limit }: DeliverySearch,
): Promise<Searched> {
  const statuses = deliveryStatus.options;
  const shown = statuses.find((known) => known === status);
  if (status !== undefined && !shown) {
    const message = `The status is one of ${statuses.join(', ')}.`;
    throw validation([{ path: 'status', rule: 'enum', allowed: statuses, message }]);
  }
  if (eventId !== undefined && !isId('evt', eventId)) {
    const message = 'An event is named by its id, evt_…, which a request carries as webhook-id.';
    throw validation([{ path: 'event', rule: 'format', message }]);
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST) {
    const message = `The limit is a whole number from 1 to ${MOST}.`;
    throw validation([{ path: 'limit', rule: 'range', limit: MOST, message }]);
  }
  const { params, bind } = binding(ctx.organizationId, endpointId ?? null, limit + 1);
  const also = eventId === undefined ? 'true' : isDeliveryOf(bind(eventId), 'e.id');
  const rows = await ctx.sql.rows<Row>(newest(shown, also), params);
  if (endpointId !== undefined && rows.length === 0 && !(await isEndpoint(ctx, endpointId)))
    throw notFound('endpoint or listener');
  const found = rows.slice(0, limit).map((row) => {
    const { name, url, deleted, paused } = row;
    return { ...presentDelivery(row, paused), name, url, deleted };
  });
  return { found, hasMore: rows.length > limit };
}

async function isEndpoint({ sql, organizationId }: InWorkspace, id: string): Promise<boolean> {
  const text = 'select 1 as one from webhook_endpoints where organization_id = $1 and id = $2';
  return (await first(sql, text, [organizationId, id])) !== null;
}

/** One delivery with its body, its attempts, and when the next ones are due. Throws 404. */
export async function inspectDelivery(
  ctx: Seeing & Pick<ReadContext, 'now'>,
  deliveryId: string,
): Promise<DeliveryDetailView & Destination> {
  const { endpointId, paused, kind: _, ...destination } = await destinationOf(ctx, deliveryId);
  return { ...(await detailOf(ctx, { endpointId, deliveryId }, paused)), ...destination };
}

interface Place extends Destination {
  readonly kind: 'endpoint' | 'listener';
  readonly endpointId: string;
  readonly paused: boolean;
}

/** The endpoint of a delivery, given only the delivery's id. Throws 404. */
export async function destinationOf(
  { sql, organizationId }: InWorkspace,
  deliveryId: string,
): Promise<Place> {
  const place = isId('dlv', deliveryId)
    ? await first<Place>(
        sql,
        `select e.id as "endpointId", e.name, e.url, e.status = 'paused' as paused,
           e.kind, e.deleted_at is not null as deleted
         from webhook_deliveries d join webhook_endpoints e on e.organization_id = d.organization_id and e.id = d.endpoint_id
         where d.organization_id = $1 and d.day = wms.id_day($2) and d.id = $2`,
        [organizationId, deliveryId],
      )
    : null;
  if (!place) throw notFound('delivery');
  return place;
}

/** The workspace of a delivery, given only the delivery's id, or null. */
export async function workspaceOf(
  database: Pick<Database, 'system'>,
  deliveryId: string,
): Promise<string | null> {
  if (!isId('dlv', deliveryId)) return null;
  const row = await first<{ organizationId: string }>(
    sqlOver(database.system),
    'select organization_id as "organizationId" from webhook_deliveries where day = wms.id_day($1) and id = $1',
    [deliveryId],
  );
  return row?.organizationId ?? null;
}
