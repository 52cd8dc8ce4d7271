import { storableText } from '../../db/storable.ts';
import { asksForFewer } from '../../gateway/cloud-api/classify.ts';
import type { LossReason, NumberHalt, SendResult } from '../../gateway/port.ts';
import type { Hold } from '../../numbers/pacer.ts';
import type { MessageError } from '../rules.ts';

/** The outcome of a taken message. */
export type Outcome =
  | { readonly status: 'sent'; readonly providerId: string }
  | { readonly status: 'failed'; readonly error: MessageError }
  /** It may have been sent, or WhatsApp holds it back; only a status webhook can tell. */
  | {
      readonly status: 'unconfirmed';
      readonly error: MessageError;
      readonly providerId?: string;
    }
  /** Certainly not sent, and due again. `counted` if WhatsApp was asked. */
  | { readonly status: 'queued'; readonly delayMs: number; readonly counted: boolean }
  /** It was withdrawn while it was being sent, and is not tried again. */
  | { readonly status: 'cancelled' }
  /** It was cancelled or settled by someone else meanwhile. */
  | { readonly status: 'dropped' };

/** What an answer means for the rest of the number's messages. */
export type Trouble =
  | ({ readonly kind: 'hold' } & Hold)
  | {
      readonly kind: 'halt';
      readonly cause: NumberHalt;
      readonly providerCode: number;
    };

export interface Judged {
  readonly outcome: Outcome;
  readonly trouble: Trouble | null;
}

const AFTER_HALT_MS = 2_000;
export const MOST_ATTEMPTS = 6;
/**
 * After WhatsApp says that a person is being messaged too often, wait 1, 4, 16, 64, 256 seconds (design decisions
 * §5).
 */
export const backoffMs = (attempts: number): number => 1_000 * 4 ** attempts;

/** @param attempts how often WhatsApp was asked before this answer. */
export function judge(result: SendResult, attempts: number): Judged {
  switch (result.kind) {
    case 'accepted':
      return alone({ status: 'sent', providerId: result.providerId });
    case 'held':
      return alone({ status: 'unconfirmed', error: HELD, providerId: result.providerId });
    case 'refused':
      return alone(lostOutcome(result.reason, result.message, result.providerCode));
    case 'unknown':
      return alone({ status: 'unconfirmed', error: errorOf('unconfirmed', result.message) });
    case 'throttled':
      if (result.scope === 'number')
        return {
          outcome: retryOutcome(result.retryAfterMs, false),
          trouble: { kind: 'hold', retryAfterMs: result.retryAfterMs, slows: asksForFewer(result) },
        };
      return alone(later(result.reason, result.retryAfterMs, result.providerCode, attempts));
    case 'halted':
      if (result.cause === 'spam_limit')
        return alone(later('throttled', 0, result.providerCode, attempts));
      return {
        outcome: retryOutcome(AFTER_HALT_MS, false),
        trouble: { kind: 'halt', cause: result.cause, providerCode: result.providerCode },
      };
  }
}

const alone = (outcome: Outcome): Judged => ({ outcome, trouble: null });

/** Why a message is lost that WhatsApp refused for the time being, again and again. */
export const TURNED_AWAY = 'WhatsApp turned it away each time.';

/** Returns the message to the queue for this long; `counted` if it was an attempt. */
export const retryOutcome = (delayMs: number, counted: boolean): Outcome => ({
  status: 'queued',
  delayMs,
  counted,
});

function later(
  reason: LossReason,
  retryAfterMs: number,
  providerCode: number | null,
  attempts: number,
): Outcome {
  if (attempts + 1 >= MOST_ATTEMPTS) return lostOutcome(reason, TURNED_AWAY, providerCode);
  return retryOutcome(Math.max(retryAfterMs, backoffMs(attempts)), true);
}

/**
 * A message that will never arrive.
 *
 * @param providerCode WhatsApp's error code
 */
export const lostOutcome = (
  reason: LossReason,
  message: string,
  providerCode: number | null = null,
): Outcome => ({ status: 'failed', error: errorOf(reason, message, providerCode) });

/** What is stored of it, and shown beside the message. */
export const errorOf = (
  reason: LossReason,
  message: string,
  providerCode: number | null = null,
): MessageError => ({
  reason,
  code: reason,
  provider_code: providerCode,
  message: storableText(message.slice(0, 500)),
});

/** Of a message that WhatsApp took and has not sent yet: mostly it does within the hour, otherwise it drops it (132015). */
export const HELD: MessageError = {
  ...errorOf('unconfirmed', 'WhatsApp holds it back to see how people like the template.'),
  code: 'held',
};
