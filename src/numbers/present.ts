import type { NumberRow } from './queries.ts';
import { capabilitiesOf } from './rules.ts';
import type { NumberView } from './schema.ts';

export const presentNumber = ({ window_24h, ...row }: NumberRow): NumberView => ({
  ...row,
  created_at: row.created_at.toISOString(),
  status_changed_at: row.status_changed_at.toISOString(),
  capabilities: { ...capabilitiesOf(row.provider), window_24h },
});
