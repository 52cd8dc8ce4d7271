import type { ErrorCode, FieldProblem } from './generated/types.gen.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

/** What a refusal says beside its code: a list for `validation`, else an object. */
export type ErrorDetails = readonly FieldProblem[] | Readonly<Record<string, unknown>>;

/** The service refused. Branch on `code`; the message is for people and may change. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code newer than this client arrives as it is; `unknown` when a proxy answered in our place. */
  readonly code: ErrorCode | (string & {});
  readonly details: ErrorDetails | undefined;
  /** Names the call in the log of the service; "" when none came. */
  readonly requestId: string;
  /** The page about this code; "" when none came. */
  readonly docUrl: string;
  /** Repeated with this key, the call takes effect once; null for one that changes nothing. */
  readonly idempotencyKey: string | null;

  /** Whether it was answered to an earlier call with this key, whatever has changed since: a new try needs a new key. */
  readonly replayed: boolean;

  constructor(
    status: number,
    said: ErrorSaid,
    idempotencyKey: string | null = null,
    replayed = false,
  ) {
    super(said.message);
    this.status = status;
    this.code = said.code;
    this.details = said.details;
    this.requestId = said.request_id;
    this.docUrl = said.doc_url;
    this.idempotencyKey = idempotencyKey;
    this.replayed = replayed;
  }

  /** Where the input is wrong; empty for every code but `validation`. */
  get problems(): readonly FieldProblem[] {
    return Array.isArray(this.details) ? this.details : [];
  }
}

interface ErrorSaid {
  readonly code: string;
  readonly message: string;
  readonly details?: ErrorDetails | undefined;
  readonly request_id: string;
  readonly doc_url: string;
}

/** No answer came, after all tries. Whether the call took effect is not known: repeat it with its key. */
export class ConnectionFailed extends Error {
  override readonly name = 'ConnectionFailed';

  /** Repeated with this key, the call takes effect once; null for one that changes nothing. */
  readonly idempotencyKey: string | null;

  constructor({ url, headers }: Request, cause: unknown) {
    super(`No answer from ${new URL(url).origin}.`, { cause });
    this.idempotencyKey = headers.get(IDEMPOTENCY_KEY);
  }
}

/** A refusal as an error, whatever its body holds. */
export async function apiError(response: Response, { headers }: Request): Promise<ApiError> {
  const text = await response.text();
  const said = {
    code: 'unknown',
    message: `The answer was ${response.status}.`,
    request_id: response.headers.get('x-request-id') ?? '',
    doc_url: '',
    ...envelopeIn(text),
  };
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return new ApiError(response.status, said, headers.get(IDEMPOTENCY_KEY), replayed);
}

function envelopeIn(text: string): Partial<ErrorSaid> {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<ErrorSaid> };
    return typeof error?.code === 'string' ? error : {};
  } catch {
    return {};
  }
}
