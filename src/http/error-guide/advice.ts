import type { ErrorDetails } from '../../errors.ts';

/** The explanation of one error code, for the API document and its page at `/docs/errors/`. */
export interface ErrorAdvice {
  /** What happened, in one sentence. */
  readonly meaning: string;
  /** When it occurs. */
  readonly when: string;
  /** What the caller should do. */
  readonly remedy: string;
  /** An example of the message. */
  readonly message: string;
  /** An example of the details. */
  readonly details?: ErrorDetails;
}
