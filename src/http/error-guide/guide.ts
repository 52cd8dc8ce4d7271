import { ERROR_STATUS, type ErrorCode } from '../../errors.ts';
import type { ErrorAdvice } from './advice.ts';
import { commonGuide } from './common.ts';
import { ruleGuide } from './rules.ts';

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
