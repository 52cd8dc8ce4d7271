import type { Keyring } from '../crypto/keyring.ts';
import { first, type Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import { numberState } from './pacer.ts';
import { canSend, type NumberStatus, type Provider } from './rules.ts';

interface Credentials {
  readonly id: string;
  readonly provider: Provider;
  readonly accessToken: string | null;
}

/** The simulator asks for a token and takes any; paired numbers are the simulator's too. */
const SANDBOX_TOKEN = 'sandbox';

/** The token that may use a number. Throws `unavailable` for a real number that has none. */
export function tokenOf(keyring: Keyring, organizationId: string, number: Credentials): string {
  const { id, accessToken, provider } = number;
  if (accessToken !== null) {
    const place = { table: 'numbers', row: id, organizationId, column: 'access_token' };
    return keyring.decrypt(accessToken, place);
  }
  if (provider !== 'cloud_api') return SANDBOX_TOKEN;
  throw new AppError('unavailable', 'The number has no access token.');
}

/** A number as those need it who talk to WhatsApp for it. */
export interface SendingNumber {
  readonly id: string;
  /** Whether its state lets it send at all. */
  readonly canSend: boolean;
  readonly phoneNumberId: string;
  readonly accessToken: string;
  readonly hasWindow: boolean;
  readonly ceilingPerMinute: number | null;
  /** WhatsApp wants nothing from it for so many milliseconds. */
  readonly heldMs: number;
  /** It was throttled last: one send finds out whether it still is. */
  readonly probing: boolean;
}

interface NumberRow extends Credentials {
  readonly status: NumberStatus;
  readonly phoneNumberId: string | null;
  readonly hasWindow: boolean;
  readonly ceilingPerMinute: number | null;
}

/** Null for a number that is not there, or that WhatsApp has given no id yet. */
export async function sendingNumber(
  sql: Sql,
  keyring: Keyring,
  organizationId: string,
  numberId: string,
): Promise<SendingNumber | null> {
  const row = await first<NumberRow>(
    sql,
    `select id, provider, status, access_token as "accessToken", phone_number_id as "phoneNumberId",
       window_24h as "hasWindow", ceiling_per_minute as "ceilingPerMinute"
     from numbers where organization_id = $1 and id = $2`,
    [organizationId, numberId],
    'sending-number',
  );
  if (!row?.phoneNumberId) return null;
  const { heldMs, refusals } = await numberState(sql, { organizationId, numberId });
  return {
    id: row.id,
    canSend: canSend(row.status),
    phoneNumberId: row.phoneNumberId,
    accessToken: tokenOf(keyring, organizationId, row),
    hasWindow: row.hasWindow,
    ceilingPerMinute: row.ceilingPerMinute,
    heldMs,
    probing: refusals > 0,
  };
}
