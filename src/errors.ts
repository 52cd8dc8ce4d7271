/**
 * Every error code a caller can meet, and its HTTP status (design decisions §14). A code is a promise
 * to machines and is never renamed; the message beside it is a sentence for people and may improve.
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

/** One thing that is wrong with the input: where, which rule, and what was expected. */
export interface FieldProblem {
  readonly path: string;
  readonly rule: string;
  readonly message: string;
  readonly limit?: number;
  readonly allowed?: readonly (string | number)[];
}

/** Of `validation` the problems; of other codes what helps a program along, such as the status or a limit. */
export type ErrorDetails = readonly FieldProblem[] | Readonly<Record<string, unknown>>;

/** An expected failure. `code` decides the status and whether an activity is retried. */
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

  /** Only what may pass by itself is worth another try. */
  get retryable(): boolean {
    return this.code === 'rate_limited' || this.code === 'unavailable';
  }
}

/** Another workspace's record is answered like a missing one, never as forbidden. */
export const notFound = (noun: string): AppError => new AppError('not_found', `No such ${noun}.`);

/** 503, and tried again by whoever can wait: an activity, a client that heeds `Retry-After`. */
export const unavailable = (message: string, options?: ErrorOptions): AppError =>
  new AppError('unavailable', message, undefined, options);

/** 409; the details name the status, and in which ones it would be possible. */
export const invalidState = (status: string, allowed: readonly string[]): AppError =>
  new AppError('invalid_state', `This is not possible while the status is ${status}.`, {
    status,
    allowed,
  });

/** 422 with every problem found; the message counts them so that a log line says enough. */
export function validation(problems: readonly FieldProblem[]): AppError {
  const count = problems.length;
  const message = count === 1 ? '1 field is not valid.' : `${count} fields are not valid.`;
  return new AppError('validation', message, problems);
}
