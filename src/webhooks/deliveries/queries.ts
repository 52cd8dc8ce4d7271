import { restrictedMember } from '../../access/visibility.ts';
import type { InWorkspace, Seeing } from '../../context.ts';
import { binding, first } from '../../db/sql.ts';
import { sampleData } from '../../outbox/samples.ts';
import { IN_BACKLOG, IN_LANE, isDeliveryOf, OWNED } from '../lanes/rows.ts';
import type { DeliveryStatus } from '../rules.ts';

/** A delivery as it is stored. What is shown also depends on whether the endpoint is paused (`present.ts`). */
export interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly code: number | null;
  readonly duration_ms: number | null;
  readonly attempts: number;
  readonly next_attempt_at: Date | null;
  readonly response: string | null;
  readonly error: string | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

export const SHOWN_DELIVERY = `d.id, d.endpoint_id as webhook_id, d.event_id, d.type, d.status, d.code, d.duration_ms,
  d.attempts, d.next_attempt_at, d.response, d.error, d.created_at, d.finished_at`;

/** Reads the indexes of the three places for unfinished deliveries, so the long history is not scanned. */
const UNFINISHED = [IN_LANE, OWNED, IN_BACKLOG];

/** Conditions of `d`, of which each delivery shown with this status meets exactly one. */
export function branchesOf(status: DeliveryStatus | undefined, paused: boolean): string[] {
  if (status === undefined) return ['true'];
  // Written into the text, because only then can the planner use the partial index of failed deliveries.
  const stored = `d.status = '${status}'`;
  if (status === 'succeeded' || status === 'failed' || status === 'blocked') return [stored];
  if (!paused) return UNFINISHED.map((branch) => `${branch} and ${stored}`);
  return status === 'held' ? UNFINISHED : ['false'];
}

/** The conversation in test events, which everyone may see. */
const SAMPLE_PLACE = sampleData['message.received'].conversation_id;

/**
 * Whether this member may see the event of `d`: the same condition by which the fan-out selects events for a member's
 * endpoint.
 */
const seenBy = (param: string): string => `
  exists (select from events v where v.day = d.day and v.id = d.event_id
    and (v.body::jsonb #>> '{data,conversation_id}' = '${SAMPLE_PLACE}' or wms.member_sees(d.organization_id, ${param}, v.body)))`;

export interface DeliveryPage {
  readonly endpointId: string;
  /** Whether the endpoint is paused: unfinished deliveries are then shown as held. */
  readonly paused: boolean;
  readonly status: DeliveryStatus | undefined;
  /** Only the delivery of this event, `evt_…`. */
  readonly eventId: string | undefined;
  /** The last id of the previous page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Newest first; `seen` is false for deliveries that the caller may not see. */
export function listDeliveryRows(
  ctx: Seeing,
  { endpointId, paused, status, eventId, after, limit }: DeliveryPage,
): Promise<(DeliveryRow & { readonly seen: boolean })[]> {
  const narrow = restrictedMember(ctx.actor);
  const { params, bind } = binding(ctx.organizationId, endpointId, limit);
  const conditions = [
    'd.organization_id = $1 and d.endpoint_id = $2',
    ...(after === null ? [] : [`d.id < ${bind(after)}`]),
    ...(eventId === undefined ? [] : [isDeliveryOf(bind(eventId), '$2')]),
  ].join(' and ');
  const newest = 'order by d.id desc limit $3';
  const branches = branchesOf(status, paused).map(
    (branch) => `
    (select d.* from webhook_deliveries d where ${conditions} and ${branch} ${newest})`,
  );
  const text = `
    select ${SHOWN_DELIVERY}, ${narrow ? seenBy(bind(narrow.id)) : 'true'} as seen
    from (${branches.join(' union all ')}) d ${newest}`;
  return ctx.sql.rows(text, params);
}

export interface DeliveryPlace {
  readonly endpointId: string;
  readonly deliveryId: string;
}

/** What a lane must know about a delivery, besides what is shown. */
export interface StoredDelivery extends DeliveryRow {
  readonly roundAttempts: number;
  readonly firstAttemptAt: Date | null;
  readonly resentAt: Date | null;
  readonly owned: boolean;
  /** Whether a process is making an attempt right now. */
  readonly inFlight: boolean;
}

const STORED = `${SHOWN_DELIVERY}, d.round_attempts as "roundAttempts", d.first_attempt_at as "firstAttemptAt",
  d.resent_at as "resentAt", d.owned_by_workflow as owned, d.lease_token is not null and d.lease_until > now() as "inFlight"`;

/** One delivery of this endpoint that the caller may see, or null. */
export function findDelivery(
  ctx: Seeing,
  { endpointId, deliveryId }: DeliveryPlace,
  lock: 'for update' | '' = '',
): Promise<StoredDelivery | null> {
  const narrow = restrictedMember(ctx.actor);
  const text = `
    select ${STORED} from webhook_deliveries d
    where d.organization_id = $1 and d.day = wms.id_day($2) and d.id = $2 and d.endpoint_id = $3
      ${narrow ? `and ${seenBy('$4')}` : ''} ${lock}`;
  const params = [ctx.organizationId, deliveryId, endpointId, ...(narrow ? [narrow.id] : [])];
  return first<StoredDelivery>(ctx.sql, text, params);
}

export interface AttemptRow {
  readonly number: number;
  readonly started_at: Date;
  readonly code: number | null;
  readonly duration_ms: number;
  readonly response: string | null;
  readonly error: string | null;
}

/** Every attempt made, in order. */
export const listAttempts = (
  { sql, organizationId }: InWorkspace,
  deliveryId: string,
): Promise<AttemptRow[]> =>
  sql.rows<AttemptRow>(
    `select number, started_at, code, duration_ms, response, error from webhook_attempts
     where organization_id = $1 and day = wms.id_day($2) and delivery_id = $2 order by number`,
    [organizationId, deliveryId],
  );

/** The exact text that every attempt sends. */
export async function bodyOf(
  { sql, organizationId }: InWorkspace,
  eventId: string,
): Promise<string | null> {
  const text =
    'select body from events where organization_id = $1 and day = wms.id_day($2) and id = $2';
  const row = await first<{ body: string }>(sql, text, [organizationId, eventId]);
  return row?.body ?? null;
}
