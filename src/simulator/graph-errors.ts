/** Error codes of the Cloud API, with the titles of Meta's error reference (§22, S2). */
const TITLES: Readonly<Record<number, string>> = {
  1: 'API Unknown',
  2: 'API Service',
  3: 'API Method',
  4: 'API Too Many Calls',
  10: 'Permission Denied',
  33: 'Parameter value is not valid',
  100: 'Invalid parameter',
  190: 'Access token has expired',
  200: 'API permission',
  368: 'Temporarily blocked for policies violations',
  80007: 'Rate limit issues',
  130429: 'Rate limit hit',
  130472: "User's number is part of an experiment",
  131000: 'Something went wrong',
  131005: 'Access denied',
  131008: 'Required parameter is missing',
  131009: 'Parameter value is not valid',
  131016: 'Service unavailable',
  131020: 'Group has a single member',
  131021: 'Recipient cannot be sender',
  131026: 'Message undeliverable',
  131031: 'Business account has been locked',
  131041: 'Group unknown',
  131042: 'Business eligibility payment issue',
  131047: 'Re-engagement message',
  131048: 'Spam rate limit hit',
  131049: 'Message not delivered to maintain healthy ecosystem engagement',
  131050: 'Recipient has stopped marketing messages',
  131051: 'Unsupported message type',
  131052: 'Media download error',
  131053: 'Media upload error',
  131056: '(Business account, consumer account) pair rate limit hit',
  131057: 'Account in maintenance mode',
  131208: 'Group rate limit hit',
  132000: 'Template param count mismatch',
  132001: 'Template does not exist',
  132005: 'Template hydrated text too long',
  132007: 'Template format character policy violated',
  132012: 'Template parameter format mismatch',
  132015: 'Template is paused',
  132016: 'Template is disabled',
  132018: 'Template parameter invalid',
};

const HTTP_STATUS: Readonly<Record<number, number>> = {
  1: 500,
  2: 503,
  3: 500,
  4: 429,
  10: 403,
  190: 401,
  200: 403,
  368: 403,
  80007: 429,
  130429: 429,
  131000: 500,
  131005: 403,
  131016: 503,
  131031: 403,
  131048: 429,
  131056: 429,
  131057: 500,
  131208: 429,
};

/** A six-digit code of the messaging range (13xxxx) is valid even without a known title. */
export function isErrorCode(code: number): boolean {
  return code in TITLES || (code >= 130_000 && code <= 139_999);
}

/** The HTTP status with which the Cloud API answers this code; 400 for unknown ones. */
export function httpStatusOf(code: number): number {
  return HTTP_STATUS[code] ?? 400;
}

function titleOf(code: number): string {
  return TITLES[code] ?? 'Message failed';
}

/** The JSON body of a refused call. */
export function graphErrorBody(code: number, details = titleOf(code)): string {
  return JSON.stringify({
    error: {
      message: `(#${code}) ${titleOf(code)}`,
      type: 'OAuthException',
      code,
      error_data: { messaging_product: 'whatsapp', details },
      is_transient: httpStatusOf(code) === 429 || httpStatusOf(code) >= 500,
      fbtrace_id: 'Simulator',
    },
  });
}

/** What the Graph API says of an id that it does not know, or does not show to this token. */
export function unknownIdBody(method: 'get' | 'post', id: string): string {
  return JSON.stringify({
    error: {
      message: `Unsupported ${method} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation.`,
      type: 'GraphMethodException',
      code: 100,
      error_subcode: 33,
      fbtrace_id: 'Simulator',
    },
  });
}

/** The same error as it appears in a `failed` status webhook. */
export function statusError(code: number) {
  const title = titleOf(code);
  return { code, title, message: title, error_data: { details: title } };
}
