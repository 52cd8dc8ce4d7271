/** What a person or a group receives: text, a template, or a file with the text as its caption. */
export interface OutgoingMessage {
  /** WhatsApp's id of the sending number, and the token that may use it. */
  readonly phoneNumberId: string;
  readonly accessToken: string;
  /** E.164; or WhatsApp's id of a person who hides the phone, or of a group, as `toKind` says. */
  readonly to: string;
  readonly toKind?: 'phone' | 'user' | 'group';
  readonly text: string;
  readonly template?: TemplateContent | null;
  readonly media?: MediaContent | null;
  /** WhatsApp's id of the message that this one answers. */
  readonly replyTo?: string | null;
  /** Comes back in every status webhook, so a send whose answer was lost can still be matched. */
  readonly correlation: string;
}

/** An approved template; the parameters fill its body in order. */
export interface TemplateContent {
  readonly name: string;
  readonly language: string;
  readonly parameters: readonly string[];
}

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** A file that WhatsApp keeps already. */
export interface MediaContent {
  readonly kind: MediaKind;
  /** WhatsApp's id of it. */
  readonly providerId: string;
  readonly name: string;
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

/** Whose files and templates are meant: WhatsApp's id, and the token that may use it. */
export interface Account {
  readonly id: string;
  readonly accessToken: string;
}

/** A file on its way to WhatsApp. `bytes` may be asked for again. */
export interface OutgoingFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/** A lost answer to an upload costs another upload: nobody received anything. */
export type UploadResult =
  | { readonly kind: 'kept'; readonly providerId: string }
  | Exclude<SendResult, { kind: 'accepted' | 'unknown' }>;

/** `later` is worth another try; `gone` is not. */
export type DownloadResult =
  | { readonly kind: 'found'; readonly type: string; readonly bytes: AsyncIterable<Uint8Array> }
  /** WhatsApp does not have it any more, or it is larger than allowed. */
  | { readonly kind: 'gone'; readonly message: string }
  | { readonly kind: 'later'; readonly message: string };

/** A template as WhatsApp has it. */
export interface RemoteTemplate {
  readonly name: string;
  readonly language: string;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, and whatever comes. */
  readonly status: string;
  readonly category: string;
  readonly components: readonly unknown[];
}

/** WhatsApp beside sending: files and templates. */
export interface WhatsApp extends Gateway {
  /** @param number the sending number: files belong to it. */
  upload(number: Account, file: OutgoingFile): Promise<UploadResult>;
  /** Reading the bytes may throw when the connection is lost. */
  download(number: Account, mediaId: string, maxBytes: number): Promise<DownloadResult>;
  /** All templates of a business account; throws `unavailable` when WhatsApp does not answer. */
  templates(business: Account): Promise<RemoteTemplate[]>;
}
