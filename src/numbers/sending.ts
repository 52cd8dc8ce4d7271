import { DecryptionFailed, type Keyring, type SecretPlace } from '../crypto/keyring.ts';
import { first, type Sql } from '../db/sql.ts';
import { STATE, type StateRow, stateOf } from './pacer.ts';
import { canSend, type NumberStatus, type Provider } from './rules.ts';

interface Credentials {
  readonly id: string;
  readonly provider: Provider;
  readonly accessToken: string | null;
}

/** The simulator requires a token and accepts any; it also plays paired numbers. */
const SANDBOX_TOKEN = 'sandbox';

/** Where a number keeps its token, which can be decrypted nowhere else. */
export const tokenPlace = (organizationId: string, id: string): SecretPlace => ({
  table: 'numbers',
  row: id,
  organizationId,
  column: 'access_token',
});

/** Null for a real number without a token, and where the token can be decrypted no more: it cannot send. */
export function readableToken(
  keyring: Keyring,
  organizationId: string,
  { id, accessToken, provider }: Credentials,
): string | null {
  if (accessToken === null) return provider === 'cloud_api' ? null : SANDBOX_TOKEN;
  try {
    return keyring.decrypt(accessToken, tokenPlace(organizationId, id));
  } catch (error) {
    if (error instanceof DecryptionFailed) return null;
    throw error;
  }
}

/** A number as needed for talking to WhatsApp on its behalf. */
export interface SendingNumber {
  readonly id: string;
  /** Whether its state lets it send at all. */
  readonly canSend: boolean;
  /** Null while it can send. */
  readonly downSince: Date | null;
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly hasWindow: boolean;
  readonly ceilingPerMinute: number | null;
  /** It has no ceiling, and is not slowed down at the moment. */
  readonly isFree: boolean;
  /** Milliseconds until WhatsApp accepts messages from it; 0 if it does now. */
  readonly heldMs: number;
  /** It was throttled last: a single send finds out whether it still is. */
  readonly probing: boolean;
}

interface NumberRow extends Credentials, StateRow {
  readonly status: NumberStatus;
  readonly downSince: Date;
  readonly phoneNumberId: string | null;
  readonly hasWindow: boolean;
  readonly ceilingPerMinute: number | null;
}

/** Null for a number that does not exist, has no WhatsApp id yet, or no token that can be read. */
export async function sendingNumber(
  sql: Sql,
  keyring: Keyring,
  organizationId: string,
  numberId: string,
): Promise<SendingNumber | null> {
  const row = await first<NumberRow>(
    sql,
    `select n.id, n.provider, n.status, coalesce(n.down_since, n.status_changed_at) as "downSince",
       n.access_token as "accessToken", n.phone_number_id as "phoneNumberId",
       n.window_24h as "hasWindow", n.ceiling_per_minute as "ceilingPerMinute", ${STATE.columns}
     from numbers n ${STATE.join} where n.organization_id = $1 and n.id = $2`,
    [organizationId, numberId],
    'sending-number',
  );
  const accessToken = row && readableToken(keyring, organizationId, row);
  if (!row?.phoneNumberId || !accessToken) return null;
  const { heldMs, refusals, slowed } = stateOf(row);
  const sends = canSend(row.status);
  return {
    id: row.id,
    canSend: sends,
    downSince: sends ? null : row.downSince,
    phoneNumberId: row.phoneNumberId,
    accessToken,
    hasWindow: row.hasWindow,
    ceilingPerMinute: row.ceilingPerMinute,
    isFree: row.ceilingPerMinute === null && !slowed,
    heldMs,
    probing: refusals > 0,
  };
}
