import { isNotNow } from '../db/sqlstates.ts';
import { AppError, type ErrorCode, unavailable } from '../errors.ts';

/** The caller's error for each SQLSTATE of a wrong value. Anything not listed is our own fault: `internal`. */
const SQLSTATES: Readonly<Record<string, ErrorCode>> = {
  '22001': 'bad_request',
  '22003': 'bad_request',
  '22007': 'bad_request',
  '22008': 'bad_request',
  '22009': 'bad_request',
  '22021': 'bad_request',
  '22P02': 'bad_request',
  '22P05': 'bad_request',
  '23503': 'conflict',
  '23505': 'conflict',
};
const LOST_CONNECTION =
  /^(08\w{3}|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENOTFOUND)$/;
const LOST_IN_WORDS =
  /timeout exceeded when trying to connect|query read timeout|connection terminated|not queryable|connection ended unexpectedly/i;

const MESSAGES: Partial<Record<ErrorCode, string>> = {
  bad_request: 'A value cannot be stored as it is.',
  conflict: 'This collides with a record that exists or is still used.',
};

/**
 * Turns any thrown value into an expected failure. Services translate what they foresee; this is the safety net, so
 * that neither SQL nor a stack ever reaches a caller.
 */
export function toAppError(thrown: unknown): AppError {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; depth += 1) {
    if (error instanceof AppError) return error;
    const known = fromDatabase(error, thrown);
    if (known) return known;
    error = error.cause;
  }
  return new AppError('internal', 'Something went wrong on our side.', undefined, {
    cause: thrown,
  });
}

function fromDatabase(error: Error, cause: unknown): AppError | null {
  const code = String((error as { code?: unknown }).code ?? '');
  if (LOST_CONNECTION.test(code) || LOST_IN_WORDS.test(error.message) || isNotNow(error))
    return away(cause);
  const known = Object.hasOwn(SQLSTATES, code) ? SQLSTATES[code] : undefined;
  if (!known) return null;
  return new AppError(known, MESSAGES[known] ?? 'This is not possible.', undefined, { cause });
}

const away = (cause: unknown): AppError =>
  unavailable('The service cannot reach its database. Try again shortly.', { cause });
