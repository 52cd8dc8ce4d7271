/**
 * Every error code a caller can get, with its HTTP status (design decisions §14). Codes are promises to machines and
 * are never renamed; the messages are for people and may be improved.
 */
export const ERROR_STATUS = {
  bad_request: 400,
  invalid_cursor: 400,
  invalid_idempotency_key: 400,
  unauthorized: 401,
  forbidden: 403,
  oauth_required: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  duplicate: 409,
  in_use: 409,
  invalid_state: 409,
  last_owner: 409,
  quota: 409,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  validation: 422,
  form_without_identity: 422,
  idempotency_mismatch: 422,
  invalid_definition: 422,
  member_not_in_team: 422,
  opted_out: 422,
  out_of_window: 422,
  pace_not_allowed: 422,
  segment_too_heavy: 422,
  team_not_in_number: 422,
  unknown_automation: 422,
  unknown_contact: 422,
  unknown_conversation: 422,
  unknown_group: 422,
  unknown_media: 422,
  unknown_number: 422,
  unknown_member: 422,
  unknown_segment: 422,
  unknown_stage: 422,
  unknown_team: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal: 500,
  not_implemented: 501,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One problem with the input: where, which rule, and what was expected. */
export interface FieldProblem {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly limit?: number;
  readonly allowed?: readonly (string | number)[];
  /** Which of them, where there are several in one field: names of variables or of columns, the number of a line. */
  readonly which?: readonly (string | number)[];
}

/** For `validation` the problems; for other codes what helps a program, such as the status or a limit. */
export type ErrorDetails = readonly FieldProblem[] | Readonly<Record<string, unknown>>;

/** An expected failure. `code` decides the HTTP status and whether an activity is retried. */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(code: ErrorCode, message: string, details?: ErrorDetails, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** Only failures that may pass by themselves are worth retrying. */
  get retryable(): boolean {
    return this.code === 'rate_limited' || this.code === 'unavailable';
  }
}

/** What something thrown says, even if it is no error. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);

/** Another workspace's record is answered like a missing one, never as forbidden. */
export const notFound = (noun: string, details?: ErrorDetails): AppError =>
  new AppError('not_found', `No such ${noun}.`, details);

/** 503, to be retried by those who can wait: an activity, or a client that respects `Retry-After`. */
export const unavailable = (message: string, options?: ErrorOptions): AppError =>
  new AppError('unavailable', message, undefined, options);

/** 409; the details name the status, and the statuses in which it would be possible. */
export const invalidState = (status: string, allowed: readonly string[]): AppError =>
  new AppError('invalid_state', `This is not possible while the status is ${status}.`, {
    status,
    allowed,
  });

/** Throws 409 `in_use`, with the counts by what uses a record, unless all are 0. */
export function refuseUsed<Users extends string>(
  usedBy: Readonly<Record<Users, number>>,
  message: string,
): void {
  if (Object.values(usedBy).every((count) => count === 0)) return;
  throw new AppError('in_use', message, { used_by: usedBy });
}

/** 422 with every problem found; the message contains their number, so that a log line is enough. */
export function validation(problems: readonly FieldProblem[]): AppError {
  const count = problems.length;
  const message = count === 1 ? '1 field is not valid.' : `${count} fields are not valid.`;
  return new AppError('validation', message, problems);
}
