import type { Sql } from '../db/sql.ts';
import { AppError } from '../errors.ts';
import { parseObject } from '../http/body/json.ts';
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

/**
 * Refuses what PostgreSQL cannot store: much of a request is kept until a person has answered it.
 *
 * @param encoded a query or form
 */
export function refuseNul(encoded: string): void {
  if (/%00|\0/.test(encoded))
    throw new AppError('bad_request', 'A parameter contains a NUL character.');
}

/** Checks a registration, and makes access tokens presentable. Every other form is passed on unchanged. */
export async function prepareBody(
  sql: Sql,
  inner: string,
  bytes: Buffer,
  { keys, addresses }: { keys: KeySet; addresses: Addresses },
): Promise<Prepared> {
  if (inner === '/oauth2/register') return prepareRegistration(bytes);
  const sent = bytes.toString('utf8');
  refuseNul(sent);
  const form = new URLSearchParams(sent);
  const presented = PRESENTING.has(inner) ? await presentToken(sql, form, keys, addresses) : null;
  const changed = PRESENTING.has(inner) ? Buffer.from(form.toString()) : bytes;
  return { bytes: changed, presented };
}

function prepareRegistration(bytes: Buffer): Prepared {
  const none = { bytes, presented: null };
  try {
    const request = guardRegistration(parseObject(bytes));
    return { ...none, bytes: Buffer.from(JSON.stringify(request)) };
  } catch (error) {
    if (error instanceof RegistrationRefused)
      return { ...none, refused: { error: error.code, error_description: error.message } };
    if (!(error instanceof AppError)) throw error;
    const { message } = error;
    return { ...none, refused: { error: 'invalid_client_metadata', error_description: message } };
  }
}
