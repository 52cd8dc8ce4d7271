import { createHmac } from 'node:crypto';
import { createKeyring, type Keyring, type SecretPlace } from '../../crypto/keyring.ts';

/** For this long, a repeated refresh gets the answer of the first one (design, OAuth). */
export const REPEAT_S = 30;

const placeOf = (key: string): SecretPlace => ({
  table: 'oauth_artifacts',
  row: key,
  organizationId: '',
  column: 'answer',
});

/** The answer contains new tokens. Only the exchanged token, which is stored nowhere, can decrypt it. */
const keyringOf = (token: string): Keyring =>
  createKeyring(
    `answer:${createHmac('sha256', token).update('answer of a refresh').digest('base64')}`,
  );

/**
 * @param asked what a repeat must also ask for: scope and resource
 */
export const sealAnswer = (token: string, key: string, asked: string, body: string): string =>
  keyringOf(token).encrypt(JSON.stringify({ asked, body }), placeOf(key));

/** Null if something else was asked for. */
export function openAnswer(
  token: string,
  key: string,
  asked: string,
  sealed: string,
): string | null {
  const first = JSON.parse(keyringOf(token).decrypt(sealed, placeOf(key))) as {
    asked: string;
    body: string;
  };
  return first.asked === asked ? first.body : null;
}
