import { DecryptionFailed, type SecretPlace } from '../../crypto/keyring.ts';
import type { Flash } from '../page.ts';
import type { Visit } from '../visit.ts';

const FLASH_COOKIE = 'wms_flash';
const FLASH_SECONDS = 60;

interface Kept extends Flash {
  /** Milliseconds since 1970. */
  readonly until: number;
}

type At = Pick<Visit, 'http' | 'parts' | 'session' | 'known'>;

/** Bound to one session and one workspace, so that copying the cookie elsewhere reveals nothing. */
const placeOf = ({ session, known }: At): SecretPlace => ({
  table: 'person_sessions',
  row: session.id,
  organizationId: known.organizationId,
  column: 'flash',
});

function setCookie({ http, parts }: At, value: string, seconds: number): void {
  const secure = parts.baseUrl.startsWith('https://') ? '; Secure' : '';
  const flags = `Path=/console; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  http.append('Set-Cookie', `${FLASH_COOKIE}=${value}; ${flags}`);
}

/** Encrypted, because it may contain a secret. */
export function writeFlash(at: At, flash: Flash, now: Date): void {
  const kept: Kept = { ...flash, until: now.getTime() + FLASH_SECONDS * 1_000 };
  const blob = at.parts.keyring.encrypt(JSON.stringify(kept), placeOf(at));
  setCookie(at, blob.replaceAll('|', '.'), FLASH_SECONDS);
}

/** Null if there is none, or it is too old or belongs to someone else. */
export function takeFlash(at: At, now: Date): Flash | null {
  const blob = at.http.cookies.get(FLASH_COOKIE, { signed: false })?.replaceAll('.', '|');
  if (!blob) return null;
  try {
    const kept = JSON.parse(at.parts.keyring.decrypt(blob, placeOf(at))) as Kept;
    return kept.until > now.getTime() ? kept : null;
  } catch (error) {
    if (error instanceof DecryptionFailed) return null;
    throw error;
  }
}

/** It is shown only once. */
export const clearFlash = (at: At): void => setCookie(at, '', 0);
