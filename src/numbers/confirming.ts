import { phoneKey } from '../contacts/identity/phones.ts';
import type { Context } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import { dryRun } from '../db/transact.ts';
import { type AppError, type FieldProblem, validation } from '../errors.ts';
import type { Accounts, Refusal } from '../gateway/port.ts';
import { type Connection, connectNumber } from './connecting.ts';
import type { WhatsAppNumber } from './entities.ts';
import { readableToken } from './sending.ts';
import { addNumber, type NewNumber, parseNumber } from './service.ts';

interface Asking {
  readonly keyring: Keyring;
  /** Called only for a number that WhatsApp knows. */
  readonly whatsapp: () => Accounts;
}

/**
 * `addNumber`, once WhatsApp has confirmed that id, token and phone of a Cloud API number belong together, and sends its
 * webhooks; without an id or a token nothing is asked, nor where we refuse it ourselves. Throws 422 where WhatsApp
 * refuses, 503 where it cannot be reached.
 */
export async function addConfirmed(
  ctx: Context,
  input: NewNumber,
  { keyring, whatsapp }: Asking,
): Promise<WhatsAppNumber> {
  const { phone } = parseNumber(input);
  const { provider, phoneNumberId: id, accessToken, businessAccountId = null } = input;
  if (provider !== 'cloud_api' || id === undefined || accessToken === undefined)
    return addNumber(ctx, input, keyring);
  await dryRun(ctx, (tx) => addNumber(tx, input, keyring));
  const claim = { id, accessToken, phone, businessAccountId, storedAccountId: null };
  const account = await confirm(whatsapp(), claim);
  return addNumber(ctx, { ...input, businessAccountId: account }, keyring);
}

/** `connectNumber` in the same way, with the id and the token that are given or stored. */
export async function connectConfirmed(
  ctx: Context,
  id: string,
  connection: Connection,
  { keyring, whatsapp }: Asking,
): Promise<WhatsAppNumber> {
  const number = await dryRun(ctx, (tx) => connectNumber(tx, id, connection, keyring));
  const claim = claimOf(number, connection, keyring);
  if (!claim) return connectNumber(ctx, id, connection, keyring);
  const confirmedAccountId = await confirm(whatsapp(), claim);
  return connectNumber(ctx, id, { ...connection, confirmedAccountId }, keyring);
}

/** What WhatsApp is to confirm. */
interface Claim {
  /** WhatsApp's id of the number. */
  readonly id: string;
  readonly accessToken: string;
  readonly phone: string | null;
  /** Null where nobody named one. */
  readonly businessAccountId: string | null;
  /** What was known until now, which WhatsApp may correct. */
  readonly storedAccountId: string | null;
}

function claimOf(number: WhatsAppNumber, connection: Connection, keyring: Keyring): Claim | null {
  const { provider, organizationId, phone = null, accessToken: stored = null } = number;
  const { businessAccountId: storedAccountId = null } = number;
  if (provider !== 'cloud_api') return null;
  const known = { id: number.id, provider, accessToken: stored };
  const accessToken = connection.accessToken ?? readableToken(keyring, organizationId, known);
  const id = connection.phoneNumberId ?? number.phoneNumberId ?? null;
  if (accessToken === null || id === null) return null;
  const { businessAccountId = null } = connection;
  return { id, accessToken, phone, businessAccountId, storedAccountId };
}

/**
 * Before the transaction, which must not wait for WhatsApp.
 *
 * @returns the number's business account
 */
async function confirm(
  whatsapp: Accounts,
  { id, accessToken, phone, businessAccountId, storedAccountId }: Claim,
): Promise<string> {
  if (!TOKEN.test(accessToken)) throw validation([NO_TOKEN]);
  const profile = await whatsapp.profile({ id, accessToken });
  if (profile.kind === 'refused')
    throw refusedAt('phone_number_id', 'WhatsApp does not show the number of this id', profile);
  if (phone !== null && phoneKey(profile.phone) !== phoneKey(phone))
    throw unconfirmed('phone_number_id', `This is the id of ${profile.phone}, not of ${phone}.`);
  const account = profile.businessAccountId ?? businessAccountId ?? storedAccountId;
  if (account === null)
    throw unconfirmed('business_account_id', 'WhatsApp does not name it: give the id.');
  if (businessAccountId !== null && businessAccountId !== account)
    throw unconfirmed('business_account_id', `The number belongs to the account ${account}.`);
  const subscribed = await whatsapp.subscribe({ id: account, accessToken }, profile.appId);
  if (subscribed.kind === 'refused') {
    const what = `WhatsApp does not send the webhooks of the account ${account} here`;
    throw refusedAt('business_account_id', what, subscribed);
  }
  return account;
}

/** What a header takes; an empty one WhatsApp refuses itself. */
const TOKEN = /^[\x21-\x7e]*$/;

const NO_TOKEN: FieldProblem = {
  path: 'access_token',
  rule: 'format',
  message: 'An access token is one word of plain letters, digits and signs.',
};

const refusedAt = (path: string, what: string, { wrong, message }: Refusal): AppError =>
  wrong === 'token'
    ? unconfirmed('access_token', `${what}: ${message}. ${TOKEN_NEEDS}`)
    : unconfirmed(path, `${what}: ${message}.`);

const TOKEN_NEEDS =
  'Give a token that is valid, with the permissions whatsapp_business_messaging and whatsapp_business_management.';

const unconfirmed = (path: string, message: string): AppError =>
  validation([{ path, rule: 'unconfirmed', message }]);
