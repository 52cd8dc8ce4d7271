import { STATUS_CODES } from 'node:http';
import type { Answered, HeldDelivery } from '../../../webhooks/listeners/queue.ts';
import type { Listener } from '../../../webhooks/listeners/service.ts';

/** What the command prints first. The secret is for the receiver's signature check. */
export const opening = ({ id, url, events, secret }: Listener): readonly string[] => [
  `${id} forwards ${events.join(', ')}`,
  `to ${url}`,
  `secret ${secret}`,
  'Verify webhook-signature with it (docs/webhooks.md); it is the same at the next start.',
  'Ctrl-C stops. What happens meanwhile is kept and comes at the next start, oldest first.',
];

const REASONS: Readonly<Record<string, string>> = {
  timeout: 'no answer within 10 s',
  connection: 'the connection broke off',
  tls: 'TLS failed: is it https, with a certificate that this machine trusts?',
  internal: 'the request could not be made',
};

const says = ({ code, error }: Answered): string =>
  code === null
    ? (REASONS[error ?? ''] ?? 'no answer')
    : `${code} ${STATUS_CODES[code] ?? ''}`.trim();

/** `12:00:01 message.received evt_… -> 200 OK (12 ms)`; a failed one names the command that resends it. */
export function lineOf(at: Date, delivery: HeldDelivery, answered: Answered): string {
  const time = at.toTimeString().slice(0, 8);
  const what = `${time} ${delivery.type} ${delivery.eventId} -> ${says(answered)} (${answered.durationMs} ms)`;
  return answered.status === 'succeeded' ? what : `${what}  wms deliveries resend ${delivery.id}`;
}

/** What `lineOf` says, for programs. */
export const recordOf = (at: Date, delivery: HeldDelivery, answered: Answered) => ({
  time: at.toISOString(),
  type: delivery.type,
  event_id: delivery.eventId,
  delivery_id: delivery.id,
  status: answered.status,
  code: answered.code,
  duration_ms: answered.durationMs,
  error: answered.error,
});
