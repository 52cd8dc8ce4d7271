import type { ContactRow } from './queries.ts';
import type { ContactView } from './schema.ts';

const iso = (time: Date | null): string | null => (time === null ? null : time.toISOString());

export const presentContact = (row: ContactRow): ContactView => ({
  ...row,
  created_at: row.created_at.toISOString(),
  opted_out_at: iso(row.opted_out_at),
  last_inbound_at: iso(row.last_inbound_at),
  last_outbound_at: iso(row.last_outbound_at),
  window_expires_at: iso(row.window_expires_at),
  updated_at: row.updated_at.toISOString(),
});
