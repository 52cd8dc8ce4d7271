import { createHash, randomBytes } from 'node:crypto';
import { DecryptionFailed, type Keyring, type SecretPlace } from '../crypto/keyring.ts';
import { HOUR_MS } from '../durations.ts';

/** How long a page can stay open before it is sent. */
const PAGE_HOURS = 24;
const PAGE_TOKEN = /^([A-Za-z0-9_-]{22})\.(\d{10,15})\.([A-Za-z0-9_-]{43})$/;

/** A form as one of its pages showed it. */
interface ShownForm {
  readonly id: string;
  readonly version: number;
}

const signedText = ({ id, version }: ShownForm, issued: string): string =>
  `${id}.${version}.${issued}`;

/** A new one-time token for a form's page. It is signed, not stored; only its use is recorded. */
export function pageToken(keyring: Keyring, form: ShownForm, now: Date): string {
  const nonce = randomBytes(16).toString('base64url');
  const issued = `${nonce}.${now.getTime()}`;
  return `${issued}.${keyring.hmac('form-page', signedText(form, issued)).toString('base64url')}`;
}

/**
 * The hash under which the token's use is stored; null if the token is not ours, belongs to another form or to an earlier
 * version, whose words may have been others, or is too old.
 */
export function usedToken(
  keyring: Keyring,
  form: ShownForm,
  token: string,
  now: Date,
): Buffer | null {
  const [, nonce, issuedAt, mac] = PAGE_TOKEN.exec(token) ?? [];
  if (!nonce || !issuedAt || !mac) return null;
  const signed = signedText(form, `${nonce}.${issuedAt}`);
  if (!keyring.verifies('form-page', signed, Buffer.from(mac, 'base64url'))) return null;
  const age = now.getTime() - Number(issuedAt);
  if (age > PAGE_HOURS * HOUR_MS) return null;
  // Only the nonce is hashed: base64url has several spellings of the same MAC.
  return createHash('sha256').update(`${form.id}.${nonce}`).digest();
}

/** The contact that a personal link is for. */
interface LinkHolder {
  readonly contactId: string;
  readonly expiresAt: Date;
}

const placeOf = (organizationId: string, formId: string): SecretPlace => ({
  table: 'forms',
  row: formId,
  organizationId,
  column: 'personal_link',
});

/** The personal part of a link; encrypted, so that it does not reveal the contact. */
export function sealLink(
  keyring: Keyring,
  {
    organizationId,
    formId,
    contactId,
    expiresAt,
  }: LinkHolder & { organizationId: string; formId: string },
): string {
  const plain = JSON.stringify([contactId, expiresAt.getTime()]);
  const blob = keyring.encrypt(plain, placeOf(organizationId, formId));
  return Buffer.from(blob).toString('base64url');
}

const MAX_LINK = 1_000;

/** The contact of a link; null if the link is not ours, belongs to another form, or has expired. */
export function openLink(
  keyring: Keyring,
  {
    organizationId,
    formId,
    link,
    now,
  }: { organizationId: string; formId: string; link: string; now: Date },
): string | null {
  if (link === '' || link.length > MAX_LINK) return null;
  try {
    const blob = Buffer.from(link, 'base64url').toString('latin1');
    const plain = keyring.decrypt(blob, placeOf(organizationId, formId));
    const [contactId, expiresAt] = JSON.parse(plain) as [string, number];
    return now.getTime() < expiresAt ? contactId : null;
  } catch (error) {
    if (error instanceof DecryptionFailed) return null;
    throw error;
  }
}
