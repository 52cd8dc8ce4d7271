import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AppError, ErrorDetails } from '../errors.ts';
import type { ErrorSeen, ErrorTelling } from './error-telling.ts';
import type { Download } from './route.ts';

/** What is returned to the caller. `body` is JSON, errors in our own envelope, unless `type` says otherwise. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly type?: string;
  /** Sent instead of `body`. */
  readonly bytes?: AsyncIterable<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface ErrorEnvelope {
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details?: ErrorDetails;
    readonly request_id: string;
    readonly doc_url: string;
  };
}

const RETRY_SOON = '1';

/**
 * The error body of design decisions §14.
 *
 * @param tokenSent distinguishes a client with an invalid token from one without a token (RFC 6750)
 */
export function errorAnswer(
  error: AppError,
  requestId: string,
  baseUrl: string,
  tokenSent = false,
): Answer {
  const { code, message, details } = error;
  const envelope: ErrorEnvelope = {
    error: {
      code,
      message,
      ...(details && Object.keys(details).length > 0 ? { details } : {}),
      request_id: requestId,
      doc_url: `${baseUrl}/docs/errors/${code}`,
    },
  };
  return {
    status: error.status,
    body: JSON.stringify(envelope),
    headers: errorHeaders(error, baseUrl, tokenSent),
  };
}

function errorHeaders(
  { code, details }: AppError,
  baseUrl: string,
  tokenSent: boolean,
): Record<string, string> {
  // Where a client learns which server issues tokens (RFC 9728), and which token would have been accepted (RFC 6750).
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource/api/v1"`;
  const invalid = tokenSent ? 'error="invalid_token", ' : '';
  if (code === 'unauthorized') return { 'WWW-Authenticate': `Bearer ${invalid}${metadata}` };
  const { scope } = (details ?? {}) as { scope?: string };
  if (code === 'forbidden' && scope !== undefined)
    return {
      'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}", ${metadata}`,
    };
  if (code === 'unavailable' || code === 'idempotency_in_progress')
    return { 'Retry-After': RETRY_SOON };
  const named = (details ?? {}) as { retry_after_s?: number; allowed?: readonly string[] };
  if (code === 'rate_limited') return { 'Retry-After': String(named.retry_after_s ?? 1) };
  if (code === 'method_not_allowed') return { Allow: (named.allowed ?? []).join(', ') };
  return {};
}

/** A refusal as the area tells it: as a page for a person, or in the words of another protocol. */
export function toldBy(
  { errorPage, errorBody }: ErrorTelling,
  answer: Answer,
  error: AppError,
  seen: ErrorSeen,
): Answer {
  if (errorPage) {
    const { html, csp } = errorPage(error, seen);
    const headers = { ...answer.headers, 'Content-Security-Policy': csp };
    return { ...answer, body: html, type: 'text/html; charset=utf-8', headers };
  }
  if (!errorBody) return answer;
  const { status, body, headers } = errorBody(error);
  return {
    status,
    body: JSON.stringify(body),
    type: 'application/json; charset=utf-8',
    headers: { ...answer.headers, ...headers },
  };
}

/** A file as an attachment: a browser saves it, and never shows it as a page of ours. */
export const fileAnswer = (
  { name, type, size }: Pick<Download, 'name' | 'type' | 'size'>,
  bytes: AsyncIterable<Uint8Array>,
): Answer => ({
  status: 200,
  body: '',
  type: mediaType(type),
  bytes,
  headers: {
    'Content-Length': String(size),
    'Content-Disposition': attachment(name),
  },
});

/** A media type (RFC 6838) and its parameters, all of characters that a header can hold. */
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+ ?(?:;[\x20-\x7e]*)?$/;

/** The `Content-Type` of a file, whose sender may have named it anything. */
export const mediaType = (named: string): string =>
  MEDIA_TYPE.test(named) ? named : 'application/octet-stream';

/** The `Content-Disposition` of a file to keep, under its whole name (RFC 6266). */
export const attachment = (name: string): string =>
  `attachment; filename*=UTF-8''${encodeName(name)}`;

/** RFC 8187: also encodes characters that `encodeURIComponent` leaves alone but a header cannot contain. */
const encodeName = (name: string): string =>
  encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);

/** Writes the answer; an error becomes an RFC 9457 document if the caller asked for one. */
export function send(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  const problem = answer.type === undefined && answer.status >= 400 && wantsProblem(req);
  const body = problem ? problemDocument(answer) : answer.body;
  const json = problem ? PROBLEM : 'application/json; charset=utf-8';
  res.writeHead(answer.status, {
    'Content-Type': answer.type ?? json,
    'Content-Length': Buffer.byteLength(body),
    ...answer.headers,
  });
  if (!answer.bytes || req.method === 'HEAD') res.end(body);
  // If the reader disconnects or the file breaks off, the connection ends; the length shows it.
  else pipeline(Readable.from(answer.bytes), res).catch(() => res.destroy());
}

const PROBLEM = 'application/problem+json';

/** Whether the caller names it; a quality of 0 says that it is not wanted (RFC 9110, section 12.4.2). */
const wantsProblem = ({ headers: { accept = '' } }: IncomingMessage): boolean =>
  accept
    .toLowerCase()
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim()))
    .some(([type, ...params]) => type === PROBLEM && !params.some((one) => /^q=0\.?0*$/.test(one)));

function problemDocument({ status, body }: Answer): string {
  const { code, message, details, request_id, doc_url } = (JSON.parse(body) as ErrorEnvelope).error;
  return JSON.stringify({
    type: doc_url,
    title: code.replaceAll('_', ' '),
    status,
    detail: message,
    code,
    request_id,
    ...(details ? { errors: details } : {}),
  });
}
