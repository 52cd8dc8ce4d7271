import { LockMode } from '@mikro-orm/postgresql';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { transact } from '../db/transact.ts';
import { invalidState, notFound, validation } from '../errors.ts';
import { WhatsAppNumber } from './entities.ts';
import { canSend, NUMBER_STATUSES } from './rules.ts';

/**
 * A person has seen to what took the number down, with a new access token or at WhatsApp. Campaigns that
 * it paused stay paused: nobody is surprised by what goes out (design decisions §8).
 *
 * @param accessToken replaces the one that is kept; a number that sends takes a new one too.
 */
export function connectNumber(
  ctx: Context,
  id: string,
  accessToken: string | null,
  keyring: Keyring,
): Promise<WhatsAppNumber> {
  return transact(ctx, async (tx) => {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const number = await tx.em.findOne(WhatsAppNumber, { id }, lock);
    if (!number) throw notFound('number');
    const { organizationId, status, name } = number;
    refuse(number, accessToken);
    if (accessToken !== null) {
      const place = { table: 'numbers', row: id, organizationId, column: 'access_token' };
      number.accessToken = keyring.encrypt(accessToken, place);
    }
    if (!canSend(status)) {
      Object.assign(number, { status: 'connected', statusReason: null, statusChangedAt: tx.now });
    }
    await tx.em.flush();
    await audit(tx, {
      action: 'number.connected',
      target: { type: 'number', id, name },
      changes: [
        { field: 'status', from: status, to: number.status },
        ...(accessToken === null ? [] : [{ field: 'access_token', from: null, to: accessToken }]),
      ],
    });
    return number;
  });
}

function refuse({ status, phoneNumberId }: WhatsAppNumber, accessToken: string | null): void {
  if (canSend(status) && accessToken === null) {
    const down = NUMBER_STATUSES.filter((known) => !canSend(known));
    throw invalidState(status, down);
  }
  if (phoneNumberId) return;
  const message = 'WhatsApp has not said yet which id this number has.';
  throw validation([{ path: 'phone_number_id', rule: 'required', message }]);
}
