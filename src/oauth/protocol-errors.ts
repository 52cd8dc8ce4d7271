import type { ErrorBody } from '../http/error-telling.ts';

/**
 * What fails on our side. Clients that cannot read an error, or read `server_error`, give up their refresh token and
 * send the person to consent again; at this one they wait.
 */
export const LATER = {
  error: 'temporarily_unavailable',
  error_description: 'Try again shortly.',
} as const;

/** Errors in front of the library, in its format: `{error, error_description}` (RFC 6749, 5.2). */
export const protocolError: ErrorBody = ({ status, code, message }) => {
  const headers = { 'Access-Control-Allow-Origin': '*' };
  if (status >= 500)
    return { status: 503, body: LATER, headers: { ...headers, 'Retry-After': '1' } };
  const error = code === 'rate_limited' ? LATER.error : 'invalid_request';
  return { status, body: { error, error_description: message }, headers };
};
