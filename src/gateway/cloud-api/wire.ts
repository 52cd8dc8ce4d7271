/**
 * The WhatsApp Cloud API's wire format, as far as we read and write it (decisions §27). Incoming data is parsed in
 * layers, so that one strange item does not affect the others: first `webhookEnvelope`, then `messagesValue` for each
 * change, then `inboundMessage` or `messageStatus` for each item. Unknown fields are kept, because Meta adds them
 * freely.
 */
import { z } from 'zod';
import { content, referredProduct } from './content-wire.ts';

/**
 * The answer to an accepted send: `messages[0].id` is the `wamid`. A template's has a status too: `accepted`, or, where it
 * is not sent before WhatsApp knows how people like it, `held_for_quality_assessment` or `paused`.
 */
export const sendAnswer = z.looseObject({
  contacts: z
    .array(z.looseObject({ input: z.string().optional(), wa_id: z.string().optional() }))
    .optional(),
  messages: z
    .array(
      z.looseObject({
        id: z.string().min(1),
        message_status: z.string().default('accepted').catch('accepted'),
      }),
    )
    .min(1),
});

/** The answer to an upload of a file. */
export const uploadAnswer = z.looseObject({ id: z.string().min(1) });

/** Where a file can be read, for a few minutes. */
export const mediaAnswer = z.looseObject({
  url: z.url(),
  mime_type: z.string().optional(),
  file_size: z.coerce.number().optional(),
});

const template = z.looseObject({
  name: z.string().min(1),
  language: z.string().min(1),
  status: z.string(),
  category: z.string().catch(''),
  components: z.array(z.unknown()).catch([]),
});

/** A page of a business account's templates. */
export const templatesAnswer = z.looseObject({
  data: z.array(template),
  paging: z
    .looseObject({
      cursors: z.looseObject({ after: z.string().optional() }).optional(),
      next: z.string().optional(),
    })
    .optional(),
});

/** The body of a refused call. Branch on `code`; titles and messages may change (§22). */
export const graphError = z.looseObject({
  error: z.looseObject({
    code: z.number().int(),
    message: z.string().default(''),
    error_subcode: z.number().int().optional(),
    error_data: z.looseObject({ details: z.string().optional() }).optional(),
    is_transient: z.boolean().optional(),
    fbtrace_id: z.string().optional(),
  }),
});

/** An error within a webhook: of one status, of one message, or of the whole number. */
const webhookError = z.looseObject({
  code: z.number().int(),
  title: z.string().optional(),
  message: z.string().optional(),
  error_data: z.looseObject({ details: z.string().optional() }).optional(),
});

export const webhookEnvelope = z.looseObject({
  object: z.literal('whatsapp_business_account'),
  entry: z.array(
    z.looseObject({
      id: z.string(),
      /** Unix seconds. */
      time: z.number().int().optional(),
      changes: z.array(z.looseObject({ field: z.string(), value: z.unknown() })),
    }),
  ),
});

const metadata = z.looseObject({
  phone_number_id: z.string().min(1),
  display_phone_number: z.string().optional(),
});

/** A person: `wa_id` is a phone number in digits, `user_id` a business-scoped user id. */
const contact = z.looseObject({
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  profile: z.looseObject({ name: z.string().optional() }).optional(),
});

/** The value of a change in a number's traffic, above all `messages`. */
export const messagesValue = z.looseObject({
  metadata,
  contacts: z.array(contact).optional(),
  messages: z.array(z.unknown()).optional(),
  message_echoes: z.array(z.unknown()).optional(),
  statuses: z.array(z.unknown()).optional(),
  user_preferences: z.array(z.unknown()).optional(),
  groups: z.array(z.unknown()).optional(),
  calls: z.array(z.unknown()).optional(),
  errors: z.array(webhookError).optional(),
});

const word = z.string().optional();
const unixSeconds = z.string().regex(/^\d{1,12}$/);

/** One message from a person. `type` says which of the objects is present; new types do appear. */
export const inboundMessage = z.looseObject({
  id: z.string().min(1),
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  group_id: z.string().min(1).max(100).optional(),
  timestamp: unixSeconds,
  type: z.string(),
  context: z.looseObject({ id: word, from: word, referred_product: referredProduct }).optional(),
  ...content,
  /** News of WhatsApp's: the person has another phone (`wa_id`), or another id. */
  system: z
    .looseObject({ type: word, wa_id: word, user_id: word, previous_user_id: word })
    .optional(),
  errors: z.array(webhookError).optional(),
});

/**
 * A message that someone typed in the Business app, or on a linked device, to the person in `to`, which is left out where
 * they hide the phone.
 */
export const messageEcho = inboundMessage.extend({
  to: z.string().optional(),
  to_user_id: z.string().optional(),
});

/** One status of a message of ours. `biz_opaque_callback_data` is the correlation we sent along. */
export const messageStatus = z.looseObject({
  id: z.string().min(1),
  status: z.string(),
  timestamp: unixSeconds,
  recipient_id: z.string().optional(),
  recipient_user_id: z.string().optional(),
  biz_opaque_callback_data: z.string().optional(),
  errors: z.array(webhookError).optional(),
  pricing: z
    .looseObject({
      billable: z.boolean().optional(),
      pricing_model: z.string().optional(),
      category: z.string().optional(),
    })
    .optional(),
});

/** A setting of a group that was changed, or was to be. */
const groupSetting = z.looseObject({
  text: z.string().optional(),
  update_successful: z.boolean().optional(),
});

/**
 * Field `group_lifecycle_update`: a group of ours was created (`group_create`) or ended (`group_delete`). Field
 * `group_settings_update`: it has another subject or description.
 */
export const groupUpdate = z.looseObject({
  group_id: z.string().min(1).max(100),
  type: z.string(),
  timestamp: unixSeconds.optional(),
  subject: z.string().optional(),
  group_subject: groupSetting.optional(),
  group_description: groupSetting.optional(),
  errors: z.array(webhookError).optional(),
});

/** Field `phone_number_quality_update`: a number may send more (`THROUGHPUT_UPGRADE`), or people complain (`FLAGGED`). */
export const qualityUpdate = z.looseObject({
  display_phone_number: z.string(),
  event: z.string(),
});

/** Field `paired_session`, the simulator's own: what the device of a paired number does. */
export const pairedSession = z.looseObject({ metadata, event: z.string() });

/** A person stopped or resumed a kind of message in WhatsApp's own settings. */
export const userPreference = z.looseObject({
  wa_id: z.string().optional(),
  user_id: z.string().optional(),
  category: z.string(),
  value: z.string(),
  timestamp: unixSeconds.or(z.int().nonnegative()).optional(),
});

/** Field `calls`: what happened to a call; `connect` is its beginning. */
export const inboundCall = z.looseObject({
  from: z.string().optional(),
  from_user_id: z.string().optional(),
  event: z.string(),
  direction: z.string().optional(),
  timestamp: unixSeconds,
});

export type InboundCall = z.infer<typeof inboundCall>;
export type GraphError = z.infer<typeof graphError>['error'];
export type InboundMessage = z.infer<typeof inboundMessage>;
export type MessageEcho = z.infer<typeof messageEcho>;
export type MessageStatus = z.infer<typeof messageStatus>;
export type GroupUpdate = z.infer<typeof groupUpdate>;
export type UserPreference = z.infer<typeof userPreference>;
export type WebhookError = z.infer<typeof webhookError>;
