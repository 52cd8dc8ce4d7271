import type { Context } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import type { NumberHalt } from '../../gateway/port.ts';
import { sendingNumber } from '../../numbers/sending.ts';
import { haltNumber } from '../states/by-itself.ts';

/** The number that WhatsApp refused, and the token that it was asked with. */
export interface Refused {
  readonly numberId: string;
  readonly accessToken: string;
}

/**
 * WhatsApp answered that the number can no longer send. If that was about a token which a person has replaced since, it
 * says nothing about the new one, and nothing happens: what is sent next uses that.
 */
export const haltRefused = (
  ctx: Context,
  keyring: Keyring,
  { numberId, accessToken }: Refused,
  cause: NumberHalt,
  providerCode: number,
): Promise<void> =>
  haltNumber(ctx, numberId, cause, providerCode, async ({ sql, organizationId }) => {
    if (cause === 'suspended') return true;
    const number = await sendingNumber(sql, keyring, organizationId, numberId);
    return number === null || number.accessToken === accessToken;
  });
