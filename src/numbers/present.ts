import type { NumberRow } from './queries.ts';
import { capabilitiesOf } from './rules.ts';
import type { NumberView } from './schema.ts';

export const presentNumber = ({ window_24h, ...row }: NumberRow): NumberView => ({
  ...row,
  // PostgreSQL keeps no order of keys: as the specification names them.
  hours: row.hours?.map(({ open, from, to }) => ({ open, from, to })) ?? null,
  created_at: row.created_at.toISOString(),
  status_changed_at: row.status_changed_at.toISOString(),
  capabilities: { ...capabilitiesOf(row.provider), window_24h },
});
