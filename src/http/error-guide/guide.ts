import { ERROR_STATUS, type ErrorCode, type ErrorDetails } from '../../errors.ts';
import { commonGuide } from './common.ts';
import { ruleGuide } from './rules.ts';

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

/** Every code has an explanation; a code without one does not compile. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorAdvice>> = {
  ...commonGuide,
  ...ruleGuide,
};

export const ERROR_CODES = Object.keys(ERROR_STATUS) as readonly ErrorCode[];

const REQUEST_ID = 'req_01KAH8Y3V8Q2M4N6P8R0S2T4V6';

/** The body of such an answer, in the envelope of design decisions §14. */
export function exampleError(code: ErrorCode, baseUrl: string) {
  const { message, details } = errorGuide[code];
  return {
    error: {
      code,
      message,
      ...(details ? { details } : {}),
      request_id: REQUEST_ID,
      doc_url: `${baseUrl}/docs/errors/${code}`,
    },
  };
}
