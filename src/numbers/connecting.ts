import type { Change } from '../audit/rules.ts';
import { audit } from '../audit/service.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { transact } from '../db/transact.ts';
import { type FieldProblem, invalidState, validation } from '../errors.ts';
import { resyncTemplates } from '../templates/resync.ts';
import type { WhatsAppNumber } from './entities.ts';
import { noteSignal } from './health.ts';
import { lockNumber } from './known.ts';
import { resumeWaiting } from './moving.ts';
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
  /** The one that WhatsApp itself names, where no other is given. */
  readonly confirmedAccountId?: string | null;
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
  connection: Connection,
  keyring: Keyring,
): Promise<WhatsAppNumber> {
  const { accessToken = null, phoneNumberId = null } = connection;
  const { businessAccountId = null, confirmedAccountId = null } = connection;
  return transact(ctx, async (tx) => {
    const number = await connectable(tx, id, connection, keyring);
    const { organizationId, status, name, provider } = number;
    const account = await takeAccount(tx, number, businessAccountId ?? confirmedAccountId);
    if (isOfAccountAlone(number, connection)) return noteAccount(tx, number, account);
    number.phoneNumberId ??= phoneNumberId;
    if (accessToken !== null) await takeToken(tx, number, accessToken, keyring);
    const next = afterConnecting(status, provider);
    if (next !== null) moveBack(number, next, tx.now);
    await flushKnown(tx);
    // The device's earlier disconnection says nothing about the new connection.
    await noteSignal(tx.sql, organizationId, id, { heartbeatAt: tx.now });
    if (canSend(number.status)) await resumeWaiting(tx, id);
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

/** The number, locked, if it can be connected like this; nothing of it is taken yet. Throws 404, 409 or 422. */
async function connectable(
  tx: Context,
  id: string,
  connection: Connection,
  keyring: Keyring,
): Promise<WhatsAppNumber> {
  const number = await lockNumber(tx, id);
  const { phoneNumberId, businessAccountId } = connection;
  const problems = [
    idProblem('business_account_id', businessAccountId ?? undefined),
    idProblem('phone_number_id', phoneNumberId ?? undefined),
  ].filter((problem) => problem !== null);
  if (phoneNumberId && number.phoneNumberId && phoneNumberId !== number.phoneNumberId)
    problems.push(HAS_AN_ID);
  if (problems.length > 0) throw validation(problems);
  if (!isOfAccountAlone(number, connection)) refuse(number, connection, keyring);
  return number;
}

const HAS_AN_ID: FieldProblem = {
  path: 'phone_number_id',
  rule: 'not_applicable',
  message: 'The number has an id already.',
};

/** Whether only the business account is told, which changes nothing else. */
const isOfAccountAlone = (
  { status, provider }: WhatsAppNumber,
  { accessToken = null, phoneNumberId = null, businessAccountId = null }: Connection,
): boolean =>
  accessToken === null &&
  businessAccountId !== null &&
  (phoneNumberId === null || afterConnecting(status, provider) === null);

/** The change, none if it is the number's already. */
async function takeAccount(
  tx: Context,
  number: WhatsAppNumber,
  businessAccountId: string | null,
): Promise<Change[]> {
  const before = number.businessAccountId ?? null;
  if (businessAccountId === null || businessAccountId === before) return [];
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

function refuse(
  number: WhatsAppNumber,
  { accessToken = null, phoneNumberId = null }: Connection,
  keyring: Keyring,
): void {
  const { id, organizationId, status, provider, accessToken: stored = null } = number;
  if (accessToken === null && afterConnecting(status, provider) === null)
    throw invalidState(status, ['provisioning', 'disconnected', 'suspended', 'error']);
  if (!(phoneNumberId ?? number.phoneNumberId))
    throw missing('phone_number_id', 'WhatsApp has not said yet which id this number has.');
  if (accessToken !== null) return;
  if (readableToken(keyring, organizationId, { id, provider, accessToken: stored }) === null)
    throw missing('access_token', 'The number has no access token that can be read.');
}

const missing = (path: string, message: string) =>
  validation([{ path, rule: 'required', message }]);
