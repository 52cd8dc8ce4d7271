/** What a person receives. Templates and media join when their nouns do. */
export interface OutgoingMessage {
  /** WhatsApp's id of the sending number, and the token that may use it. */
  readonly phoneNumberId: string;
  readonly accessToken: string;
  /** E.164. */
  readonly to: string;
  readonly text: string;
  /** Comes back in every status webhook, so a send whose answer was lost can still be matched. */
  readonly correlation: string;
}

/** Why a message was lost (design decisions §22). */
export type LossReason =
  | 'no_whatsapp'
  | 'no_recipient'
  | 'throttled'
  | 'out_of_window'
  | 'media_invalid'
  | 'template_invalid'
  | 'number_unavailable'
  | 'provider_error'
  | 'policy'
  | 'missing_variable'
  | 'unconfirmed';

/** What the provider's answer means for what happens next. */
export type SendResult =
  | { readonly kind: 'accepted'; readonly providerId: string }
  /** Refused for good: this recipient is lost. */
  | {
      readonly kind: 'refused';
      readonly reason: LossReason;
      readonly providerCode: number | null;
      readonly message: string;
    }
  /** Refused for now: surely unsent. `scope` says whether the number or only this recipient must wait. */
  | {
      readonly kind: 'throttled';
      readonly scope: 'number' | 'recipient';
      /** What the message is lost to when waiting is given up. */
      readonly reason: LossReason;
      readonly retryAfterMs: number;
      readonly providerCode: number | null;
    }
  /** Surely unsent, and no other recipient of the number will do better: 190, 131031, 368, 131048. */
  | {
      readonly kind: 'halted';
      readonly cause: 'spam_limit' | 'disconnected' | 'suspended';
      readonly providerCode: number;
      readonly message: string;
    }
  /** The answer was lost: it may have been sent. Never resent by the machine. */
  | { readonly kind: 'unknown'; readonly message: string };

/** The one way out to WhatsApp. Never rejects: every outcome is a result. */
export interface Gateway {
  send(message: OutgoingMessage): Promise<SendResult>;
}
