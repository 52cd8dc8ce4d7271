import type { IncomingMessage } from 'node:http';
import { AppError } from '../../errors.ts';
import { decoded } from '../urlencoded.ts';
import { readBody, refuseEncoding } from './body.ts';

const FORM_TYPE = /^application\/x-www-form-urlencoded[\t ]*(?:;[\t ]*charset="?utf-8"?[\t ]*)?$/i;

/** More pairs than any of our forms sends; counted before anything is decoded. */
const MAX_PAIRS = 2_000;

/** The fields of a submitted form by name, in order. A Map, so that names such as `__proto__` are ordinary. */
export type FormBody = ReadonlyMap<string, readonly string[]>;

/**
 * The fields of an HTML form. Throws 415 for anything but plain urlencoded UTF-8, 413 over `limit` bytes, 400 for
 * broken percent-encoding, NUL, or too many pairs.
 */
export async function readForm(req: IncomingMessage, limit: number): Promise<FormBody> {
  refuseEncoding(req);
  if (!FORM_TYPE.test(req.headers['content-type'] ?? ''))
    throw new AppError(
      'unsupported_media_type',
      'Send the body as application/x-www-form-urlencoded in UTF-8.',
    );
  return parseForm(textOf(await readBody(req, limit)));
}

/** Browsers escape everything; others must send UTF-8. */
function textOf(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed();
  }
}

function parseForm(text: string): FormBody {
  const body = new Map<string, string[]>();
  if (text === '') return body;
  const pairs = text.split('&', MAX_PAIRS + 1);
  if (pairs.length > MAX_PAIRS)
    throw new AppError('bad_request', `The form has more than ${MAX_PAIRS} fields.`);
  for (const [name, value] of decoded(pairs, malformed)) {
    const values = body.get(name) ?? [];
    values.push(value);
    body.set(name, values);
  }
  return body;
}

const malformed = (): AppError =>
  new AppError('bad_request', 'The form is not valid percent-encoded UTF-8.');
