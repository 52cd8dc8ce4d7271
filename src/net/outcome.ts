import { ConnectionRefusal } from './vetting.ts';

/** Why an attempt failed, as a delivery record shows it. */
type SendError =
  | 'timeout'
  | 'connection'
  | 'tls'
  | 'redirect'
  | 'status'
  | 'internal'
  | 'dns'
  | 'private_address';

interface Attempted {
  /** HTTP status, null if no response head arrived in time. */
  code: number | null;
  /** The first 500 characters of the answer, storable as text; null without an answer. */
  response: string | null;
  /** What a failing answer's `Retry-After` asks for, counted from now; not limited here. */
  retryAfterMs: number | null;
  durationMs: number;
}

/**
 * What became of one request. The receiver's failures are results, never exceptions.
 *
 * - `delivered`: a 2xx whose head arrived in time.
 * - `failed`: may be tried again.
 * - `blocked`: the address may not be called or does not exist; never tried again.
 * - `infrastructure`: our own resolver fails; not an attempt at all.
 */
export type SendOutcome =
  | ({ kind: 'delivered'; error: null } & Attempted)
  | ({ kind: 'failed'; error: Exclude<SendError, 'dns' | 'private_address'> } & Attempted)
  | ({ kind: 'blocked'; error: 'dns' | 'private_address' } & Attempted)
  | { kind: 'infrastructure'; message: string; durationMs: number };

const RESPONSE_CHARACTERS = 500;
/** Enough for 500 characters of four bytes, and for what is dropped from them. */
export const KEPT_BYTES = 4_096;

/** Readable text from whatever a receiver sent: valid, without NUL, not cut within a character. */
function excerpt(kept: readonly Buffer[]): string {
  if (kept.length === 0) return '';
  const bytes = kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept);
  const whole = bytes.length <= KEPT_BYTES;
  // `stream` omits a character that was cut.
  const text = new TextDecoder().decode(bytes.subarray(0, KEPT_BYTES), { stream: !whole });
  const storable = text.replaceAll('\u0000', '');
  if (storable.length <= RESPONSE_CHARACTERS) return storable;
  return [...storable].slice(0, RESPONSE_CHARACTERS).join('');
}

function retryAfterMs(header: string | string[] | undefined): number | null {
  const value = (Array.isArray(header) ? header[0] : header)?.trim() ?? '';
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  const date = /^[A-Z][a-z]{2}, .* GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - Date.now());
}

const redirects = new Set([300, 301, 302, 303, 305, 306, 307, 308]);

/**
 * Judges an answer whose head arrived in time.
 *
 * @param answer.kept the beginning of its body, of which 500 characters are shown
 */
export function outcomeOfAnswer(answer: {
  code: number;
  kept: readonly Buffer[];
  retryAfter: string | string[] | undefined;
  durationMs: number;
}): SendOutcome {
  const { code, durationMs } = answer;
  const response = excerpt(answer.kept);
  if (code >= 200 && code < 300) {
    return { kind: 'delivered', error: null, code, response, retryAfterMs: null, durationMs };
  }
  return {
    kind: 'failed',
    error: redirects.has(code) ? 'redirect' : 'status',
    code,
    response,
    retryAfterMs: retryAfterMs(answer.retryAfter),
    durationMs,
  };
}

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
/** Our own errors, not the receiver's: a request that could not even be written. */
const internals = new Set(['UND_ERR_INVALID_ARG', 'ERR_INVALID_URL']);
/** The sender was closed during the request. */
const closings = new Set(['UND_ERR_CLOSED', 'UND_ERR_DESTROYED']);

/** Failed handshakes, and every code with which OpenSSL refuses a certificate. */
const certificates =
  /TLS|SSL|CERT|EPROTO|ISSUER|SIGNATURE|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH|CRL/;

function reasonOf(error: Error): ConnectionRefusal['reason'] | 'internal' {
  if (error instanceof ConnectionRefusal) return error.reason;
  const code = String((error as NodeJS.ErrnoException).code ?? '');
  if (timeouts.has(code)) return 'timeout';
  if (internals.has(code)) return 'internal';
  if (closings.has(code)) return 'infrastructure';
  return certificates.test(code) ? 'tls' : 'connection';
}

/** Every rejection becomes an outcome, even an AssertionError from inside the HTTP client. */
export function outcomeOfError(error: Error, durationMs: number): SendOutcome {
  const reason = reasonOf(error);
  if (reason === 'infrastructure') {
    return { kind: 'infrastructure', message: error.message, durationMs };
  }
  const attempted = { code: null, response: null, retryAfterMs: null, durationMs };
  if (reason === 'dns' || reason === 'private_address') {
    return { kind: 'blocked', error: reason, ...attempted };
  }
  return { kind: 'failed', error: reason, ...attempted };
}
