import { DecryptionFailed } from '../../crypto/keyring.ts';
import { messageOf } from '../../errors.ts';
import type { SendOutcome } from '../../net/outcome.ts';
import type { SafeSender } from '../../net/sender.ts';
import { inSpan, type Traceparent } from '../../tracing/spans.ts';
import type { EndpointSecrets, SigningKeys } from './keys.ts';
import { signatureHeaders } from './signature.ts';

/** What an attempt needs: the address, the signing secrets and the exact bytes. */
export interface Sendable extends EndpointSecrets {
  readonly eventId: string;
  readonly url: string;
  readonly body: string;
  /** The trace that the attempt belongs to; by default the current one. */
  readonly trace?: Traceparent;
}

/**
 * The outcome of an attempt. `poison`: the endpoint's own record is damaged, and retrying cannot help.
 * `infrastructure` (our resolver, a missing key) does not count as an attempt.
 */
export type AttemptOutcome = SendOutcome | { readonly kind: 'poison'; readonly message: string };

/** Why an attempt is postponed though nothing is wrong with its endpoint. */
export const POSTPONED = ['missing_key', 'resolver'] as const;
export type OnPostponed = (reason: (typeof POSTPONED)[number]) => void;

/** Posts signed webhooks (Standard Webhooks). */
export interface WebhookSender {
  /** Signs with the keys valid now and posts once. Never rejects. */
  attempt(delivery: Sendable, now: Date): Promise<AttemptOutcome>;
}

/** The only function that sends, for all lanes. */
export function createWebhookSender(
  sender: SafeSender,
  keys: SigningKeys,
  onPostponed: OnPostponed = () => {},
): WebhookSender {
  return {
    attempt(delivery, now) {
      let headers: Record<string, string>;
      try {
        const { eventId: id, body } = delivery;
        const timestamp = Math.floor(now.getTime() / 1_000);
        headers = signatureHeaders({ id, timestamp, body }, keys.keysFor(delivery, now));
      } catch (error) {
        const outcome = unsigned(error);
        if (outcome.kind === 'infrastructure') onPostponed('missing_key');
        return Promise.resolve(outcome);
      }
      headers['content-type'] = 'application/json';
      headers['user-agent'] = 'workspace-messaging-webhooks/1';
      const { url, body, trace } = delivery;
      const span = {
        ...(trace === undefined ? {} : { causes: [trace] }),
        kind: 'CLIENT',
        attributes: { 'wms.event': delivery.eventId },
      } as const;
      return inSpan('webhook attempt', span, async (made) => {
        const outcome = await sender.post({ url, headers, body });
        if (outcome.kind === 'infrastructure') onPostponed('resolver');
        made?.setAttributes({
          'wms.outcome': outcome.kind,
          'http.response.status_code': ('code' in outcome && outcome.code) || undefined,
        });
        return outcome;
      });
    },
  };
}

const NOT_SIGNED: AttemptOutcome = {
  kind: 'failed',
  error: 'internal',
  code: null,
  response: null,
  retryAfterMs: null,
  durationMs: 0,
};

function unsigned(error: unknown): AttemptOutcome {
  const message = messageOf(error);
  const reason = error instanceof DecryptionFailed ? error.reason : null;
  // A missing key comes back with the configuration; until then the delivery waits.
  if (reason === 'unknown_key') return { kind: 'infrastructure', message, durationMs: 0 };
  // A lost one does not: until somebody renews the secret, its endpoint fails as one that does not answer.
  if (reason === 'lost_key') return NOT_SIGNED;
  return { kind: 'poison', message };
}
