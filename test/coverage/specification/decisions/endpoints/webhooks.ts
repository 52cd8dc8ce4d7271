import { by, endpoint, type Line } from '../../../lines.ts';

/** Steering an endpoint, and what became of its events. */
export const webhookEndpoints: readonly Line[] = [
  endpoint(
    'POST /v1/webhooks/{id}/pause',
    'webhooks:write',
    '§15 the endpoint, paused; what is not finished is held',
    by(
      'webhooks/endpoints/pausing',
      'changes its row, calls its drain, and wakes the workflows of its retries alone',
      'shows all that is not finished as held from that moment on, and what is finished as it is',
      'is done once, however often it is asked for, and is in the log',
    ),
  ),
  endpoint(
    'POST /v1/webhooks/{id}/resume',
    'webhooks:write',
    '§15 the endpoint, active; what was held goes out',
    by(
      'webhooks/endpoints/pausing',
      'makes it active and healthy, and calls its drain',
      'of an active one changes nothing',
      'of an active one begins the drain again that an operator ended',
    ),
  ),
  endpoint(
    'POST /v1/webhooks/{id}/rotate',
    'webhooks:write',
    '§15 `{secret, previous_valid_until}`',
    by(
      'webhooks/signing/rotating',
      'shows a new one, which signs first; the one before signs too, for 24 hours',
      'keeps both encrypted, each bound to its own column, and shows them in no record and no log',
      'is repeated with the same secret by its Idempotency-Key',
    ),
  ),
  endpoint(
    'POST /v1/webhooks/{id}/test',
    'webhooks:write',
    '§15 a test event to this endpoint alone',
    by(
      'webhooks/endpoints/test-events',
      'is a pending delivery of the endpoint’s first event, due at once, and answers 201',
      'of %s is an envelope with example data of that type and the common ids',
      'goes to nobody else who gets events of this type',
    ),
  ),
  endpoint(
    'GET /v1/webhooks/{id}/deliveries',
    'webhooks:read',
    '§15 the last 50, each with its status, code, duration, attempts and next attempt',
    by(
      'webhooks/deliveries/reading',
      'are the last 50, newest first, each as the design decisions have it',
      'of one that is %s are filtered by the status they are shown with, whatever their lane',
      'sees no delivery of its events, may not send one again, and still sees the others',
    ),
  ),
  endpoint(
    'GET /v1/webhooks/{id}/deliveries/{delivery_id}',
    'webhooks:read',
    '§15 the record, its body, its attempts, and when the next ones are due',
    by(
      'webhooks/deliveries/reading',
      'shows the exact body, every attempt in order, and when the next ones are due',
      'has nothing to come when it is finished, or its 24 hours are over',
    ),
  ),
  endpoint(
    'POST /v1/webhooks/{id}/deliveries/{delivery_id}/resend',
    'webhooks:write',
    '§15 at once, the same id and body, a new budget; a waiting timer ends; a double click is one',
    by(
      'webhooks/deliveries/resending',
      'of one that is %s is at once, with a new budget and the same id and body',
      'ends the timer that waits for its next attempt, when there is one',
      'twice at once, and again when it failed within two seconds, is one: a double click',
    ),
  ),
  endpoint(
    'POST /v1/webhooks/{id}/resend',
    'webhooks:write',
    '§15 all that are retrying, failed or blocked; `{resent}`',
    by(
      'webhooks/deliveries/resending-all',
      'sends what is retrying, failed and blocked at once, and nothing else',
      'sends the 200 oldest at once and leaves the rest to the drain, counting all',
      'puts the rest into the backlog chunk by chunk, each once, and nothing that failed later',
    ),
  ),
];
