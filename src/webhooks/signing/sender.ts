import { DecryptionFailed } from '../../crypto/keyring.ts';
import type { SendOutcome } from '../../net/outcome.ts';
import type { SafeSender } from '../../net/sender.ts';
import { inSpan, type Traceparent } from '../../tracing/spans.ts';
import type { EndpointSecrets, SigningKeys } from './keys.ts';
import { signatureHeaders } from './signature.ts';

/** What one attempt needs: where to, signed by whom, and the exact bytes. */
export interface Sendable extends EndpointSecrets {
  readonly eventId: string;
  readonly url: string;
  readonly body: string;
  /** Whose work the attempt goes on with; left out, what is being done here anyway. */
  readonly trace?: Traceparent;
}

/**
 * What became of an attempt. `poison`: the endpoint's own record is broken, and no later try will do
 * better. `infrastructure` (our resolver, a key that is not configured) is no attempt at all.
 */
export type AttemptOutcome = SendOutcome | { readonly kind: 'poison'; readonly message: string };

/** Posts signed webhooks (Standard Webhooks). */
export interface WebhookSender {
  /** Signs with the keys valid now and posts once. Never rejects. */
  attempt(delivery: Sendable, now: Date): Promise<AttemptOutcome>;
}

/** The one function that sends, for all lanes. */
export function createWebhookSender(sender: SafeSender, keys: SigningKeys): WebhookSender {
  return {
    attempt(delivery, now) {
      let headers: Record<string, string>;
      try {
        const { eventId: id, body } = delivery;
        const timestamp = Math.floor(now.getTime() / 1_000);
        headers = signatureHeaders({ id, timestamp, body }, keys.keysFor(delivery, now));
      } catch (error) {
        return Promise.resolve(unsigned(error));
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
        made?.setAttributes({
          'wms.outcome': outcome.kind,
          'http.response.status_code': ('code' in outcome && outcome.code) || undefined,
        });
        return outcome;
      });
    },
  };
}

function unsigned(error: unknown): AttemptOutcome {
  const message = error instanceof Error ? error.message : String(error);
  // A key that is missing comes back with the configuration; until then the delivery waits.
  if (error instanceof DecryptionFailed && error.reason === 'unknown_key')
    return { kind: 'infrastructure', message, durationMs: 0 };
  return { kind: 'poison', message };
}
