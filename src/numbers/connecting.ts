import type { Change } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { transact } from '../db/transact.ts';
import { invalidState, validation } from '../errors.ts';
import { resyncTemplates } from '../templates/resync.ts';
import type { WhatsAppNumber } from './entities.ts';
import { noteSign } from './health.ts';
import { lockNumber } from './known.ts';
import { goOnWith } from './moving.ts';
import { canSend, type NumberStatus } from './rules.ts';
import { readableToken, tokenPlace } from './sending.ts';
import { flushKnown, idProblem } from './service.ts';
import { afterConnecting } from './states.ts';

/** What a person gives when connecting a number. */
export interface Connection {
  /** Replaces the stored token, also for a number that is sending. */
  readonly accessToken?: string | null;
  /** WhatsApp's id, for a number that has none yet. */
  readonly phoneNumberId?: string | null;
  /** Of WhatsApp's business account; alone, it changes nothing else. */
  readonly businessAccountId?: string | null;
}

/**
 * Puts a number back into use after a person dealt with what took it down, by a new access token or at WhatsApp.
 * Campaigns that it paused stay paused, so that nothing goes out unexpectedly (design decisions §8); runs of automations
 * that wait for it go on, and people's files are asked for at once. A paired number then waits for its device. One that
 * was held is no longer.
 */
export function connectNumber(
  ctx: Context,
  id: string,
  { accessToken = null, phoneNumberId = null, businessAccountId = null }: Connection,
  keyring: Keyring,
): Promise<WhatsAppNumber> {
  return transact(ctx, async (tx) => {
    const number = await lockNumber(tx, id);
    const { organizationId, status, name, provider } = number;
    const account = await takeAccount(tx, number, businessAccountId);
    const next = afterConnecting(status, provider);
    takeId(number, phoneNumberId);
    const withoutId = next === null || phoneNumberId === null;
    if (accessToken === null && withoutId && businessAccountId !== null)
      return noteAccount(tx, number, account);
    refuse(number, next, accessToken, keyring);
    if (accessToken !== null) await takeToken(tx, number, accessToken, keyring);
    if (next !== null) moveBack(number, next, tx.now);
    await flushKnown(tx);
    // The device's earlier disconnection says nothing about the new connection.
    await noteSign(tx.sql, organizationId, id, { heartbeatAt: tx.now });
    if (canSend(number.status)) await goOnWith(tx, id);
    await audit(tx, {
      action: 'number.connected',
      target: { type: 'number', id, name },
      changes: [
        { field: 'status', from: status, to: number.status },
        ...account,
        ...(accessToken === null ? [] : [{ field: 'access_token', from: null, to: accessToken }]),
      ],
    });
    return number;
  });
}

/** The change, none if it is the number's already. Throws 422. */
async function takeAccount(
  tx: Context,
  number: WhatsAppNumber,
  businessAccountId: string | null,
): Promise<Change[]> {
  const before = number.businessAccountId ?? null;
  if (businessAccountId === null || businessAccountId === before) return [];
  const problem = idProblem('business_account_id', businessAccountId);
  if (problem) throw validation([problem]);
  number.businessAccountId = businessAccountId;
  await resyncTemplates(tx, number.id, { otherAccount: true });
  return [{ field: 'business_account_id', from: before, to: businessAccountId }];
}

async function takeToken(
  tx: Context,
  number: WhatsAppNumber,
  accessToken: string,
  keyring: Keyring,
): Promise<void> {
  const { organizationId, id } = number;
  number.accessToken = keyring.encrypt(accessToken, tokenPlace(organizationId, id));
  await resyncTemplates(tx, id, { otherAccount: false });
}

async function noteAccount(
  tx: Context,
  number: WhatsAppNumber,
  changes: readonly Change[],
): Promise<WhatsAppNumber> {
  const { id, name } = number;
  await tx.em.flush();
  if (changes.length > 0)
    await audit(tx, { action: 'number.updated', target: { type: 'number', id, name }, changes });
  return number;
}

function moveBack(number: WhatsAppNumber, status: NumberStatus, now: Date): void {
  const downSince = canSend(status) ? null : number.downSince;
  Object.assign(number, {
    status,
    statusReason: null,
    statusChangedAt: now,
    downSince,
    heldAt: null,
  });
}

function takeId(number: WhatsAppNumber, phoneNumberId: string | null): void {
  if (phoneNumberId === null || phoneNumberId === number.phoneNumberId) return;
  const path = 'phone_number_id';
  if (number.phoneNumberId)
    throw validation([{ path, rule: 'not_applicable', message: 'The number has an id already.' }]);
  const problem = idProblem(path, phoneNumberId);
  if (problem) throw validation([problem]);
  number.phoneNumberId = phoneNumberId;
}

function refuse(
  {
    id,
    organizationId,
    status,
    provider,
    phoneNumberId,
    accessToken: known = null,
  }: WhatsAppNumber,
  next: NumberStatus | null,
  accessToken: string | null,
  keyring: Keyring,
): void {
  if (next === null && accessToken === null)
    throw invalidState(status, ['provisioning', 'disconnected', 'suspended', 'error']);
  if (!phoneNumberId)
    throw missing('phone_number_id', 'WhatsApp has not said yet which id this number has.');
  if (accessToken !== null) return;
  if (readableToken(keyring, organizationId, { id, provider, accessToken: known }) === null)
    throw missing('access_token', 'The number has no access token that can be read.');
}

const missing = (path: string, message: string) =>
  validation([{ path, rule: 'required', message }]);
