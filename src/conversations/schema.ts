import { z } from 'zod';
import type { LossReason } from '../gateway/port.ts';
import { dateTime, recordId } from '../http/fields.ts';
import { DIRECTIONS, HANDLERS, MESSAGE_SOURCES, MESSAGE_STATUSES } from './rules.ts';

const time = z.iso.datetime();

const CONVERSATION_STATUSES = ['open', 'closed'] as const;

/** The specification's fields first, then ours (design decisions §13). */
export const conversationView = z
  .strictObject({
    id: z.string(),
    status: z.enum(CONVERSATION_STATUSES),
    number_id: z.string(),
    contact_id: z.string().nullable(),
    group_id: z.string().nullable(),
    assigned_member_id: z.string().nullable(),
    assigned_team_id: z.string().nullable(),
    unread: z.int().meta({
      description:
        'How many messages of the person nobody has read yet; at least 1 where our answer to them was lost.',
    }),
    created_at: time,
    last_message_at: time.nullable(),
    closed_at: time.nullable(),
    window_expires_at: time.nullable().meta({
      description:
        'Until when WhatsApp takes free text; we take it until two minutes before. Null where nobody wrote yet, and for numbers and groups without this limit.',
    }),
    can_reply: z.boolean().meta({
      description:
        'Whether free text from you would be accepted and leave right now. False also while the number is down: a message is accepted then, and waits for the number, for an hour at most.',
    }),
    handled_by: z.enum(HANDLERS).meta({
      description:
        'Who answers. Once a `member` did, automations are silent until it is closed or given back to them.',
    }),
    snoozed_until: time.nullable().meta({ description: 'For later: always null now.' }),
    waiting_since: time.nullable().meta({
      description:
        'Since when the person waits for an answer; null when they do not. What an automation says is none while nobody has the conversation and its team gives waiting ones to whoever is online.',
    }),
  })
  .meta({ id: 'Conversation' });

const LOSSES: Readonly<Record<LossReason, string>> = {
  no_whatsapp: 'the phone is not on WhatsApp',
  no_recipient: 'there is nobody to send to, or WhatsApp could not reach them',
  throttled: 'WhatsApp turned it away for too long',
  out_of_window: 'free text after the 24 hours',
  media_invalid: 'WhatsApp refused the file',
  template_invalid: 'WhatsApp refused the template',
  number_unavailable: 'the number was down for an hour, or WhatsApp reports that it may not send',
  provider_error: 'WhatsApp had an error',
  policy: 'WhatsApp forbids this message',
  missing_variable: 'a variable had no value',
  unconfirmed: 'WhatsApp never said whether it took it',
};

const lossError = z.strictObject({
  reason: z.string().meta({
    description: `${Object.entries(LOSSES)
      .map(([reason, meaning]) => `\`${reason}\`: ${meaning}`)
      .join('; ')}. More may be added.`,
  }),
  code: z.string().meta({
    description:
      'The reason; where we asked WhatsApp nothing because nobody is there (`no_recipient`) it is `opted_out`, `blocked`, `no_phone` or `left_group`; where WhatsApp took the message but holds it back, to see how people like its template (`unconfirmed`), it is `held`. More may be added.',
  }),
  provider_code: z.int().nullable().meta({ description: "WhatsApp's error code." }),
  message: z.string().meta({ description: 'For people.' }),
});

/** The specification's fields first, then ours (design decisions §1). */
export const messageView = z
  .strictObject({
    id: z.string(),
    direction: z.enum(DIRECTIONS),
    text: z.string().meta({
      description:
        'What is read: the text, the caption of the file, the emoji of a reaction, or a template with its parameters as it was when the message was queued; "" where we do not know it.',
    }),
    status: z.enum(MESSAGE_STATUSES).meta({
      description:
        '`failed`: it did not arrive, as far as we know; a late report may still make it `delivered` or `read`. `unconfirmed`: whether it left is not known, because the answer was lost, or WhatsApp holds it back (`error.code` is `held`). It is never sent again by itself; a late report may still tell. `cancelled`: withdrawn before it left.',
    }),
    source: z.enum(MESSAGE_SOURCES),
    media_name: z.string(),
    media_type: z.string(),
    created_at: time,
    conversation_id: z.string(),
    contact_id: z.string().nullable(),
    type: z.string().meta({
      description:
        '`text`, `image`, `video`, `audio`, `document`, `sticker`, `location`, `contacts`, `template`, `reaction` (without text: taken back), `edit` (new words for the message `reply_to_id`; without text: taken back), or `unsupported`: any other. Of an order from the catalogue (the words, then a line for each product) and a form filled in within WhatsApp (a line for each answer) the text says what they hold; otherwise it is "". More may be added.',
    }),
    media_id: z.string().nullable(),
    reply_to_id: z.string().nullable(),
    client_ref: z.string().nullable(),
    author: z
      .strictObject({
        type: z.string().meta({
          description:
            '`member`, `service_account` (an API key), `automation`, `ai` (an automation, whose words a model wrote), `system`, or `contact`: somebody in a group. More may be added.',
        }),
        id: z.string().nullable(),
        name: z.string(),
      })
      .nullable(),
    campaign_id: z.string().nullable(),
    automation_id: z.string().nullable(),
    run_id: z.string().nullable(),
    reminder_id: z.string().nullable(),
    sent_at: time.nullable(),
    delivered_at: time.nullable(),
    read_at: time.nullable(),
    error: lossError.nullable().meta({ description: 'Why it did not arrive, or may not have.' }),
  })
  .meta({ id: 'Message' });

export const conversationFilters = z.strictObject({
  status: z.enum(CONVERSATION_STATUSES).optional(),
  number_id: recordId.optional(),
  team_id: recordId.optional().meta({ description: 'A team id, or `none`.' }),
  member_id: recordId
    .optional()
    .meta({ description: 'A member id, `none`, or `me` for the member an app acts for.' }),
  contact_id: recordId.optional(),
  group_id: recordId.optional(),
  kind: z.enum(['contact', 'group']).optional(),
  unread: z.enum(['true', 'false']).optional(),
  handled_by: z.enum(HANDLERS).optional(),
  window: z.enum(['open', 'expired']).optional().meta({
    description: 'Whether the 24 hours allow free text; `open` where there is no such limit.',
  }),
  updated_since: dateTime().optional().meta({
    description:
      'Those that changed, or had a message, since then. A change bears the time at which its call came, and is seen when that call is over: to miss none, ask from a minute before your last request.',
  }),
  sort: z.enum(['created_at', 'last_message_at']).default('created_at').meta({
    description:
      'By `last_message_at`, one that has a message while you page moves to the front and is on no later page: to read all of them, page by `created_at`.',
  }),
});

/** `POST /v1/conversations/{id}/transfer` (specification). */
export const transferBody = z.strictObject({
  team_id: recordId.meta({ description: 'A team id.' }),
  member_id: recordId
    .optional()
    .meta({ description: 'A member of that team; unassigned if left out.' }),
});

export const readBody = z.strictObject({
  through: recordId.meta({
    description: 'The newest message that was seen: what came later stays unread.',
  }),
});

/** What happened in a conversation beside its messages. */
export const activityView = z
  .strictObject({
    id: z.string(),
    type: z.enum([
      'transferred',
      'assigned',
      'returned',
      'unanswered',
      'handed_over',
      'referred',
      'closed',
      'reopened',
    ]),
    team_id: z.string().nullable(),
    member_id: z.string().nullable(),
    note: z.string().meta({
      description:
        'The note of an automation that handed it over; of `referred`, by what the person came to write: the headline, text and address of an ad or a post, or the id of a product in the catalogue; otherwise "".',
    }),
    actor: z.strictObject({ type: z.string(), id: z.string().nullable(), name: z.string() }),
    created_at: time,
  })
  .meta({ id: 'ConversationActivity' });

export type ReadThrough = z.output<typeof readBody>;
export type Transfer = z.output<typeof transferBody>;
export type ActivityView = z.input<typeof activityView>;
export type ConversationView = z.input<typeof conversationView>;
export type MessageView = z.input<typeof messageView>;
export type ConversationFilters = z.output<typeof conversationFilters>;
