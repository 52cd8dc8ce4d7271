import { phoneKey } from './identity/phones.ts';
import type { ContactRow } from './queries.ts';
import type { ContactView } from './schema.ts';

const iso = (time: Date | null): string | null => (time === null ? null : time.toISOString());

// A second phone is stored under its match key too, which may be a phone that nobody has. Of the first one there is a
// second spelling only where WhatsApp uses it.
const withoutKeys = (identities: ContactView['identities']): ContactView['identities'] => {
  const second = identities.filter(({ type, primary }) => type === 'phone' && !primary);
  const isKey = (key: string): boolean =>
    second.some(({ value }) => value !== key && phoneKey(value) === key);
  return identities.filter(({ value, primary }) => primary || !isKey(value));
};

export const presentContact = (row: ContactRow): ContactView => ({
  ...row,
  identities: withoutKeys(row.identities),
  created_at: row.created_at.toISOString(),
  opted_out_at: iso(row.opted_out_at),
  last_inbound_at: iso(row.last_inbound_at),
  last_outbound_at: iso(row.last_outbound_at),
  window_expires_at: iso(row.window_expires_at),
  updated_at: row.updated_at.toISOString(),
});
