import type { EndpointView } from './schema.ts';

/** A row of the list: never the secret. */
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
