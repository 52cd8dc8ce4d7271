import { by, line, type Section } from '../../lines.ts';
import { events } from './events.ts';
import { signatures } from './signatures.ts';

export const webhooks: Section = {
  title: 'Events and their delivery',
  source:
    'Specification, Events: event types, delivery, receiving rules, signature, rotation; design decisions §15, §16',
  lines: [
    ...events,
    line(
      'A POST with `Content-Type: application/json` and the headers `webhook-id`, `webhook-timestamp`, `webhook-signature`',
      by(
        'webhooks/lanes/first-attempts',
        'carries the event signed, so that the public verifier accepts it',
      ),
    ),
    line(
      '`webhook-id` is `evt_<id>`, identical across attempts, and the body’s `id`; the timestamp and the signature are of each attempt',
      by('webhooks/time/schedule', 'is attempted 12 times at doubling intervals and then failed'),
      by(
        'webhooks/events/envelope',
        'has the six fields of the specification, the version 1 and the moment in UTC',
      ),
    ),
    line(
      'The body: `id`, `type`, `version` 1, `timestamp`, `organization_id`, `data`',
      by(
        'webhooks/events/envelope',
        'has the six fields of the specification, the version 1 and the moment in UTC',
      ),
    ),
    line(
      '`data` always has `contact_id`, `conversation_id`, `number_id`, each null when the event lacks it',
      by(
        'webhooks/events/envelope',
        'of %s has contact_id, conversation_id and number_id, which may be null and never are missing',
      ),
    ),
    line(
      'Data of `message.received` and `message.sent`: message, contact, number, and the source, one of seven',
      by(
        'webhooks/events/envelope',
        'of a received message carries the message, the contact and the number; of a sent one its source too',
      ),
      by(
        'inbound/messages',
        'makes the contact, the conversation and the message, and tells both events',
      ),
    ),
    line(
      '§16 Each endpoint that subscribes gets an event once',
      by(
        'relay/events',
        'makes one delivery of an event, however many relays there are',
        'creates no delivery for an endpoint that does not subscribe',
      ),
      by('chaos/random-kills', 'loses no message and no webhook, and sends nothing twice'),
    ),
    line(
      'Rule 1: any 2xx within 10 seconds; the body is ignored, its first 500 characters are stored',
      by('webhooks/receivers/reply-time', 'has 10 seconds to answer'),
      by('net/answers', 'is its first 500 characters, cut between characters'),
    ),
    line(
      'Rule 1: redirects are not followed and count as failure',
      by('security/ssrf-redirect', 'is a failure and is not followed: %i'),
    ),
    line(
      'Rule 2: any other reply, or none, is retried from 30 seconds, doubling, 12 attempts within 24 hours, then `failed`',
      by(
        'webhooks/time/schedule',
        'is attempted 12 times at doubling intervals and then failed',
        'expires without a late attempt when the 24 hours passed meanwhile',
      ),
      by('net/misbehaving', 'is a failed attempt and nothing more: %s'),
    ),
    line(
      'Rule 3: an address that resolves to a private IP, or no DNS: `blocked`, not retried',
      by(
        'security/ssrf-connect',
        'is blocked before any connection: %s',
        'a name that gives no address › is blocked when %s',
      ),
      by(
        'webhooks/receivers/private-addresses',
        'is blocked at its first attempt, reaches nobody, and is never retried',
      ),
    ),
    line(
      'Rule 4: deliveries may arrive out of order; each has the moment of its event',
      by(
        'webhooks/events/envelope',
        'has the six fields of the specification, the version 1 and the moment in UTC',
      ),
    ),
    line(
      'Rule 5: a paused endpoint stores events, an active one sends all that was stored',
      by('relay/events', 'holds what comes while the endpoint is paused'),
      by(
        'webhooks/time/drains',
        'holds everything while its endpoint is paused, and ends; another one brings it all once resumed',
      ),
      by(
        'webhooks/lanes/backlog',
        'gets nothing, and after resuming everything once, the oldest first',
      ),
    ),
    line(
      'Rule 6: the last 50 deliveries with status, code, duration, attempts and next attempt',
      by(
        'webhooks/deliveries/reading',
        'are the last 50, newest first, each as the design decisions have it',
      ),
    ),
    line(
      'Rule 6: one, or all that still fail, sent again at once, with the same id and body',
      by(
        'webhooks/deliveries/resending',
        'of one that is %s is at once, with a new budget and the same id and body',
      ),
      by(
        'webhooks/deliveries/resending-all',
        'sends what is retrying, failed and blocked at once, and nothing else',
      ),
    ),
    line(
      '§15 Jitter of 0 to 10% only; a longer Retry-After is honoured up to an hour and inside the 24',
      by(
        'webhooks/rules',
        'is never earlier than that with jitter, and still inside 24 hours',
        'with a Retry-After %s',
        'keeps to the step when a Retry-After would lead out of the 24 hours',
      ),
      by(
        'webhooks/time/schedule',
        'is attempted at intervals a tenth longer with the greatest jitter, and never at shorter ones',
        'waits by Retry-After when that is %s',
        'keeps to its steps when Retry-After leads out of the 24 hours',
      ),
    ),
    line(
      '§15 DNS once per attempt, private ranges refused, the vetted address connected',
      by(
        'security/ssrf-connect',
        'is resolved once for a connection, which goes to the address that was vetted',
        'is blocked as a whole: %s',
      ),
    ),
    line(
      '§15 At most 8 in flight for an endpoint',
      by('webhooks/lanes/fairness', 'never have more than 8 in flight for one endpoint'),
    ),
    ...signatures,
  ],
};
