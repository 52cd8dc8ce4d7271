import type { Sql } from '../db/sql.ts';
import type { Addresses } from './addresses.ts';
import { guardRegistration, RegistrationRefused } from './clients/registration.ts';
import type { PresentedToken } from './provider/exchange.ts';
import { presentToken } from './tokens/presented.ts';
import type { KeySet } from './tokens/signing-keys.ts';

/** A body that was read, in the form the library should get. */
export interface Prepared {
  readonly bytes: Buffer;
  readonly presented: PresentedToken | null;
  /** To be answered at once with 400. */
  readonly refused?: { readonly error: string; readonly error_description: string };
}

const PRESENTING: ReadonlySet<string> = new Set(['/oauth2/introspect', '/oauth2/revoke']);

/** Checks a registration, and makes access tokens presentable. Everything else is passed on unchanged. */
export async function prepareBody(
  sql: Sql,
  inner: string,
  bytes: Buffer,
  { keys, addresses }: { keys: KeySet; addresses: Addresses },
): Promise<Prepared> {
  if (inner === '/oauth2/register') return prepareRegistration(bytes);
  const form = new URLSearchParams(bytes.toString('utf8'));
  const presented = PRESENTING.has(inner) ? await presentToken(sql, form, keys, addresses) : null;
  const changed = PRESENTING.has(inner) ? Buffer.from(form.toString()) : bytes;
  return { bytes: changed, presented };
}

function prepareRegistration(bytes: Buffer): Prepared {
  const none = { bytes, presented: null };
  try {
    const request = guardRegistration(JSON.parse(bytes.toString('utf8')));
    return { ...none, bytes: Buffer.from(JSON.stringify(request)) };
  } catch (error) {
    if (error instanceof RegistrationRefused)
      return { ...none, refused: { error: error.code, error_description: error.message } };
    if (!(error instanceof SyntaxError)) throw error;
    const message = 'Send the metadata as one JSON object.';
    return { ...none, refused: { error: 'invalid_client_metadata', error_description: message } };
  }
}
