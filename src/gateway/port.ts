/** WhatsApp's timestamps are whole seconds: what is said to be of one may be up to this much later, in ms. */
export const STAMP_MS = 1_000;

/** A message to a person or a group: text, a template, or a file with the text as its caption. */
export interface OutgoingMessage {
  /** WhatsApp's id of the sending number, and its token. */
  readonly phoneNumberId: string;
  readonly accessToken: string;
  /** E.164; or WhatsApp's id of a person who hides the phone, or of a group, depending on `toKind`. */
  readonly to: string;
  readonly toKind?: 'phone' | 'user' | 'group';
  readonly text: string;
  readonly template?: TemplateContent | null;
  readonly media?: MediaContent | null;
  /** WhatsApp's id of the message it replies to. */
  readonly replyTo?: string | null;
  /** Returned in every status webhook, so that a send whose answer was lost can still be matched. */
  readonly correlation: string;
}

/** An approved template; the parameters fill its body in order. */
export interface TemplateContent {
  readonly name: string;
  readonly language: string;
  readonly parameters: readonly string[];
  /** Those of the parameters, in the same order; none if the template numbers them. */
  readonly names?: readonly string[];
}

export const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const;
export type MediaKind = (typeof MEDIA_KINDS)[number];

/** A file that was uploaded to WhatsApp. */
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

/** What takes a number out of use: `error` where it cannot go on without a person, such as a deleted one. */
export type NumberHalt = 'disconnected' | 'suspended' | 'error';

/** What the provider's answer means for what happens next. */
export type SendResult =
  | { readonly kind: 'accepted'; readonly providerId: string }
  /** WhatsApp took it and holds it back, to see how people like its template: a report tells whether it is sent or dropped. */
  | { readonly kind: 'held'; readonly providerId: string }
  /** Refused for good for this recipient. */
  | {
      readonly kind: 'refused';
      readonly reason: LossReason;
      readonly providerCode: number | null;
      readonly message: string;
    }
  /** Refused for now, and certainly not sent. `scope` says whether the number or only this recipient must wait. */
  | {
      readonly kind: 'throttled';
      readonly scope: 'number' | 'recipient';
      /** Why the message is lost if waiting is given up. */
      readonly reason: LossReason;
      readonly retryAfterMs: number;
      readonly providerCode: number | null;
    }
  /** Certainly not sent, and no other recipient of the number will fare better: 190, 131031, 133010, 131048. */
  | {
      readonly kind: 'halted';
      readonly cause: 'spam_limit' | NumberHalt;
      readonly providerCode: number;
      readonly message: string;
    }
  /** The answer was lost, so it may have been sent. Never resent automatically. */
  | { readonly kind: 'unknown'; readonly message: string };

/** The only way out to WhatsApp. Never rejects: every outcome is a result. */
export interface Gateway {
  send(message: OutgoingMessage): Promise<SendResult>;
}

/** The owner of files and templates: WhatsApp's id, and a token for it. */
export interface Account {
  readonly id: string;
  readonly accessToken: string;
}

/** A file to be uploaded to WhatsApp. `bytes` may be called again. */
export interface OutgoingFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly bytes: () => AsyncIterable<Uint8Array>;
}

/** A lost answer to an upload only costs another upload, because no one received anything. */
export type UploadResult =
  | { readonly kind: 'kept'; readonly providerId: string }
  | Exclude<SendResult, { kind: 'accepted' | 'held' | 'unknown' }>;

/** `later` is worth retrying; `gone` is not. */
export type DownloadResult =
  | { readonly kind: 'found'; readonly type: string; readonly bytes: AsyncIterable<Uint8Array> }
  /** WhatsApp no longer has it, or it is larger than allowed. */
  | { readonly kind: 'gone'; readonly message: string }
  | { readonly kind: 'later'; readonly message: string };

/** A template as WhatsApp stores it. */
export interface RemoteTemplate {
  readonly name: string;
  readonly language: string;
  /** `APPROVED`, `PENDING`, `REJECTED`, `PAUSED`, `DISABLED`, and any future status. */
  readonly status: string;
  readonly category: string;
  readonly components: readonly unknown[];
}

/** WhatsApp's rating of a number, by how many block or report it. */
export type Quality = 'green' | 'yellow' | 'red' | 'unknown';

/** WhatsApp including files and templates: what `signal` breaks off once it is aborted, because it only costs another try. */
export interface WhatsApp extends Gateway {
  /**
   * @param number the sending number, to which files belong
   */
  upload(number: Account, file: OutgoingFile, signal?: AbortSignal): Promise<UploadResult>;
  /** Reading the bytes may throw if the connection is lost. */
  download(
    number: Account,
    mediaId: string,
    maxBytes: number,
    signal?: AbortSignal,
  ): Promise<DownloadResult>;
  /** All templates of a business account; throws `unavailable` if WhatsApp does not answer. */
  templates(business: Account, signal?: AbortSignal): Promise<RemoteTemplate[]>;
  /** How WhatsApp rates a number; throws `unavailable` if it does not answer. */
  quality(number: Account, signal?: AbortSignal): Promise<Quality>;
}

/** WhatsApp refuses an id, or the token that came with it. `message` is its own, without a full stop. */
export interface Refusal {
  readonly kind: 'refused';
  readonly wrong: 'id' | 'token';
  readonly message: string;
}

/** What WhatsApp knows of a number. */
export interface NumberProfile {
  readonly kind: 'known';
  /** In digits behind a `+`; of a Brazilian mobile perhaps without its ninth digit. */
  readonly phone: string;
  /** The business account that it belongs to; null if WhatsApp does not say. */
  readonly businessAccountId: string | null;
  /** The app whose token it was; null likewise. */
  readonly appId: string | null;
}

export interface Subscribed {
  readonly kind: 'subscribed';
}

/** What is asked of WhatsApp when a number is connected. Throws `unavailable` if WhatsApp does not answer. */
export interface Accounts {
  profile(number: Account): Promise<NumberProfile | Refusal>;
  /** From then on WhatsApp sends the app the webhooks of the business account; of one that gets them nothing changes. */
  subscribe(business: Account, appId: string | null): Promise<Subscribed | Refusal>;
}
