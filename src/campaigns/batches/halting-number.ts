import type { Context } from '../../context.ts';
import type { Keyring } from '../../crypto/keyring.ts';
import { transact } from '../../db/transact.ts';
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
export async function haltRefused(
  ctx: Context,
  keyring: Keyring,
  { numberId, accessToken }: Refused,
  cause: NumberHalt,
  providerCode: number,
): Promise<void> {
  const number = await transact(ctx, ({ sql, organizationId }) =>
    sendingNumber(sql, keyring, organizationId, numberId),
  );
  const replaced = number !== null && number.accessToken !== accessToken;
  if (cause !== 'suspended' && replaced) return;
  await haltNumber(ctx, numberId, cause, providerCode);
}
