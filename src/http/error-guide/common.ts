import type { ErrorCode } from '../../errors.ts';
import type { ErrorAdvice } from './advice.ts';

/** Codes common to all resources (design decisions §14). */
type CommonCode = Extract<
  ErrorCode,
  | 'bad_request'
  | 'invalid_cursor'
  | 'invalid_idempotency_key'
  | 'unauthorized'
  | 'forbidden'
  | 'oauth_required'
  | 'not_found'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'idempotency_in_progress'
  | 'idempotency_mismatch'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'validation'
  | 'rate_limited'
  | 'headers_too_large'
  | 'internal'
  | 'not_implemented'
  | 'unavailable'
>;

export const commonGuide: Readonly<Record<CommonCode, ErrorAdvice>> = {
  bad_request: {
    meaning: 'The request cannot be read.',
    when: 'The body is not JSON in UTF-8, a parameter is given twice or has the wrong type, or a value holds characters that cannot be stored.',
    remedy:
      'Correct the request. `details.path` names the parameter, when one is to blame. Sending the same request again does not help.',
    message: 'limit must be a whole number.',
    details: { path: 'limit' },
  },
  invalid_cursor: {
    meaning: 'The cursor does not belong to this list.',
    when: 'A cursor was changed, or is used with another list or with other filters than those it was made for; or a proof has no line such as `after`.',
    remedy:
      'Start again without it, and pass on `next_cursor` or `next_after` unchanged, with the same filters.',
    message: 'This cursor is not one of this list with these filters. Begin again without it.',
  },
  invalid_idempotency_key: {
    meaning: 'The header Idempotency-Key is malformed.',
    when: 'The key is empty, longer than 200 characters, given twice, or holds anything but letters, digits, `-` and `_`.',
    remedy: 'Send a single key without quotes, for example a UUID.',
    message:
      'Idempotency-Key must be 1 to 200 letters, digits, "-" or "_", without quotes, and given once.',
  },
  unauthorized: {
    meaning: 'The service does not know who is calling.',
    when: 'There is no token, or it is unknown, expired or revoked. For an app: its token is for another `resource` than this address, or for none; or it was disconnected, or the person left the workspace, lost the seat or became a Viewer.',
    remedy:
      'Send `Authorization: Bearer <key>` with a key that is active. An app asks for a new access token, with the `resource` that it calls, and when that is refused, for a new authorization.',
    message:
      'Send a valid API key or access token, as "Authorization: Bearer …". This one is missing, unknown, expired, revoked, or for another resource.',
  },
  forbidden: {
    meaning: 'The token does not allow this.',
    when: 'The token lacks the scope of the route (`details.scope`), the person lacks the permission (`details.permission`), or sees too little of the workspace for it (`details.visibility`).',
    remedy:
      'Use a key that has the scope; scopes are chosen when a key is created. Permissions depend on the role of the person, and who manages members sets what each of them sees.',
    message: 'This needs the scope contacts:write.',
    details: { scope: 'contacts:write' },
  },
  oauth_required: {
    meaning: 'An API key may not do this.',
    when: 'An API key calls a draft endpoint for automations, forms or segments, or makes a reminder `transactional`.',
    remedy: 'Call it with the access token of an app that a person has authorized.',
    message: 'Only an app that acts for a person may do this, by OAuth.',
  },
  not_found: {
    meaning: 'There is no such record, or no such address.',
    when: 'The id does not exist, belongs to another workspace, or is not visible to the person. All three get the same answer.',
    remedy:
      'Check the path, which begins with `/api/v1`, and the id. A record from a list may have been deleted since: read the list again. Of a contact that was merged into another, `details.merged_into` names the one to use instead, if the token may read contacts.',
    message: 'No such contact.',
  },
  method_not_allowed: {
    meaning: 'This address does not support this method.',
    when: 'The path exists, but not for this method. The header `Allow` lists the supported ones.',
    remedy: 'Use one of the methods in `Allow`.',
    message: 'DELETE is not possible here.',
    details: { allowed: ['GET', 'POST'] },
  },
  request_timeout: {
    meaning: 'The request took too long to arrive.',
    when: 'The headers were still incomplete after 5 seconds, the body after 10, or the body with a file after 5 minutes.',
    remedy: 'Send the request again over a better connection, with the same Idempotency-Key.',
    message: 'The request took too long to arrive.',
  },
  idempotency_in_progress: {
    meaning: 'A request with this Idempotency-Key is still running.',
    when: 'The same key arrives a second time before the first request was answered.',
    remedy:
      'Wait for the seconds in `Retry-After` and send the same request again: it gets the answer of the first.',
    message: 'A request with this Idempotency-Key is still running. Try again shortly.',
  },
  idempotency_mismatch: {
    meaning: 'This Idempotency-Key belongs to another request.',
    when: 'A key that was used in the last 24 hours comes with another method, path, query or body.',
    remedy: 'Use a new key for each new request, and the same key only to repeat one.',
    message: 'This Idempotency-Key was used for another request. A new request needs a new key.',
  },
  payload_too_large: {
    meaning: 'The body is too large.',
    when: 'A JSON body is larger than 1 MiB, or an uploaded file larger than its kind may be.',
    remedy: 'Send less at once. `details.limit` is the limit in bytes.',
    message: 'The body is larger than 1048576 bytes.',
    details: { limit: 1_048_576 },
  },
  unsupported_media_type: {
    meaning: 'The body has a type that this address does not accept.',
    when: 'The body is not `application/json` in UTF-8 (uploads: `multipart/form-data`), or it is compressed.',
    remedy: 'Set `Content-Type: application/json` and send the body uncompressed.',
    message: 'Send the body as application/json in UTF-8.',
  },
  validation: {
    meaning: 'Fields or parameters are not valid.',
    when: 'The request could be read, but fields are missing, unknown, of another type, or break a rule. Nothing was changed.',
    remedy:
      'Each item of `details` names a `path`, the `rule` that it breaks and what was expected. Correct them all; with an Idempotency-Key, send the corrected request with a new key.',
    message: '1 field is not valid.',
    details: [{ path: 'name', rule: 'min_length', limit: 1, message: 'Must not be empty.' }],
  },
  rate_limited: {
    meaning: 'Too many requests.',
    when: 'A key or connection made more than 600 requests in 60 seconds, or has too many files on their way at once.',
    remedy:
      'Wait for the seconds in `Retry-After`, then continue. The header `RateLimit` of every answer says how many requests are left.',
    message: 'More than 600 requests in 60 seconds. Try again in 12 s.',
    details: { limit: 600, window_s: 60, retry_after_s: 12 },
  },
  headers_too_large: {
    meaning: 'The address and headers are too large.',
    when: 'The request line and headers together exceed 16 KiB.',
    remedy: 'Send fewer or shorter headers, and move long values from the query to the body.',
    message: 'The request line and headers are too large.',
  },
  internal: {
    meaning: 'Something went wrong on our side.',
    when: 'A bug in the service. The request may or may not have taken effect.',
    remedy:
      'Try again later: the same Idempotency-Key makes that safe. If it persists, report the `request_id`, which the service has logged.',
    message: 'Something went wrong on our side.',
  },
  not_implemented: {
    meaning: 'The service does not know this method.',
    when: 'The request’s method is not an HTTP method.',
    remedy: 'Use a method that the reference names.',
    message: 'The method BREW is not known here.',
  },
  unavailable: {
    meaning: 'The service cannot do its work at the moment.',
    when: 'Its database is down or overloaded. The request may or may not have taken effect.',
    remedy:
      'Wait for the seconds in `Retry-After` and try again: the same Idempotency-Key makes that safe.',
    message: 'The service cannot reach its database. Try again shortly.',
  },
};
