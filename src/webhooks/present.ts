import type { AttemptRow, DeliveryRow } from './deliveries/queries.ts';
import type { DeliveryStatus } from './rules.ts';
import type { AttemptView, DeliveryView, EndpointView } from './schema.ts';

/** A row of the list, without the secret. */
export interface EndpointRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly events: EndpointView['events'];
  readonly status: EndpointView['status'];
  readonly created_at: Date;
}

export const presentEndpoint = (row: EndpointRow): EndpointView => ({
  id: row.id,
  name: row.name,
  url: row.url,
  events: row.events,
  created_at: row.created_at.toISOString(),
  status: row.status,
});

/** Pausing changes only the endpoint; what waits for it counts as held from that moment on. */
export const shownStatus = (
  { status, finished_at }: Pick<DeliveryRow, 'status' | 'finished_at'>,
  paused: boolean,
): DeliveryStatus => (paused && finished_at === null ? 'held' : status);

/**
 * @param paused whether its endpoint is paused
 */
export function presentDelivery(row: DeliveryRow, paused: boolean): DeliveryView {
  const status = shownStatus(row, paused);
  const next = status === 'held' ? null : row.next_attempt_at;
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    type: row.type as DeliveryView['type'],
    status,
    code: row.code,
    duration_ms: row.duration_ms,
    attempts: row.attempts,
    next_attempt_at: next?.toISOString() ?? null,
    response: row.response,
    error: row.error as DeliveryView['error'],
    created_at: row.created_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

export const presentAttempt = (row: AttemptRow): AttemptView => ({
  number: row.number,
  started_at: row.started_at.toISOString(),
  code: row.code,
  duration_ms: row.duration_ms,
  response: row.response,
  error: row.error as AttemptView['error'],
});
