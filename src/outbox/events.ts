import { z } from 'zod';
import { MEDIA_KINDS } from '../gateway/port.ts';

const id = z.string().min(1);
const nullableId = id.nullable();

/** Every webhook event has these three, null if the event has none (specification, Delivery). */
const common = { contact_id: nullableId, conversation_id: nullableId, number_id: nullableId };

const comingFile = id.meta({
  description:
    'To download it, `GET /v1/media/{id}/content`: 409 `invalid_state` while its state is `coming`, so ask again.',
});

const hiddenPhone = z.string().meta({
  description: '"" for a person who hides it; `message.received` names them by `wa_user_id`.',
});

const TYPE =
  'As in `GET /v1/messages/{id}`. More may be added. Events of earlier releases lack it.';

const messageData = z.strictObject({
  message: z.strictObject({
    id,
    text: z.string(),
    type: z.string().optional().meta({ description: TYPE }),
    reply_to_id: id.optional().meta({
      description: 'The message that it answers, reacts to or corrects, if we know it.',
    }),
    media: z
      .strictObject({ type: z.enum(MEDIA_KINDS), name: z.string(), id: comingFile })
      .optional()
      .meta({ description: 'With a file, the text is the caption, or "".' }),
  }),
  contact: z.strictObject({ name: z.string(), phone: hiddenPhone }),
  number: z.strictObject({ id }),
  ...common,
});

/** Who did it. */
const actor = z.strictObject({
  type: z.enum(['member', 'automation', 'api', 'system']),
  id: nullableId.meta({ description: 'Who did it; null for the service itself.' }),
});
export type EventActor = z.infer<typeof actor>;

const stageKind = z.enum(['open', 'won', 'lost']);
const stage = z.strictObject({ id, name: z.string(), kind: stageKind });

/**
 * The webhook catalogue: the event types a customer may subscribe to, and the `data` of each
 * (specification, Events; design decisions §16).
 */
export const webhookEvents = {
  'message.received': messageData.extend({
    message: messageData.shape.message.extend({
      type: messageData.shape.message.shape.type.meta({
        description: `${TYPE} \`edit\` brings new words for the message \`reply_to_id\`, or takes it back where it has no text, and a \`reaction\` without text was taken back: none is a new message.`,
      }),
    }),
    contact: messageData.shape.contact.extend({
      wa_user_id: id.optional().meta({
        description: 'WhatsApp’s id of a person who hides the phone; left out otherwise.',
      }),
    }),
  }),
  'message.sent': messageData.extend({
    source: z.enum(['member', 'automation', 'campaign', 'reminder', 'api', 'system', 'phone']),
  }),
  'conversation.closed': z.strictObject({
    conversation: z.strictObject({
      id,
      opened_at: z.iso.datetime(),
      closed_at: z.iso.datetime(),
      assigned_member_id: nullableId,
      assigned_team_id: nullableId,
    }),
    closed_by: actor.extend({ name: z.string().nullable() }),
    messages: z.strictObject({ inbound: z.int().min(0), outbound: z.int().min(0) }),
    first_reply_seconds: z.number().min(0).nullable().meta({
      description:
        'From the person’s first message to the first answer; null if no one has answered.',
    }),
    ...common,
  }),
  'contact.created': z.strictObject({
    contact: z.strictObject({
      id,
      name: z.string(),
      phone: z.string(),
      email: z.string(),
      tags: z.array(z.string()),
      origin: z.enum(['direct', 'form', 'import', 'campaign', 'team']),
      created_via: z.enum(['message', 'form', 'import', 'api', 'campaign', 'member', 'automation']),
    }),
    created_by: actor,
    ...common,
  }),
  'stage.changed': z.strictObject({
    deal: z.strictObject({
      id,
      title: z.string(),
      value_cents: z.int().nullable(),
      currency: z.string(),
      status: stageKind,
    }),
    pipeline: z.strictObject({ id, name: z.string() }),
    from: stage.nullable().meta({ description: 'Null for a new deal.' }),
    to: stage,
    changed_by: actor,
    ...common,
  }),
  'automation.failed': z.strictObject({
    automation: z.strictObject({ id, name: z.string(), version: z.int().min(1) }),
    run: z.strictObject({
      id,
      started_at: z.iso.datetime(),
      failed_at: z.iso.datetime(),
      step_id: nullableId,
      step_type: z.string().nullable(),
    }),
    error: z.strictObject({ code: z.string(), message: z.string() }),
    ...common,
  }),
} as const;

export type WebhookEventType = keyof typeof webhookEvents;
export type WebhookEventData<T extends WebhookEventType> = z.infer<(typeof webhookEvents)[T]>;
export const WEBHOOK_EVENT_TYPES = Object.keys(webhookEvents) as readonly WebhookEventType[];

/** Facts that set our own machinery in motion; `relay/reactions.ts` says what each one does. */
export interface Commands {
  /** The rows of a file are stored, so the workflow that imports them must run. */
  'import.started': { importId: string };
  /** A campaign was scheduled, sent or resumed, so its workflow must run. */
  'campaign.started': {
    campaignId: string;
    /** The id of the member or key. */
    by?: string;
  };
  /** A campaign's row changed under its workflow (paused, unscheduled, cancelled): look again. */
  'campaign.changed': { campaignId: string };
  /** An attempt failed, and its endpoint may have another workflow: the delivery gets its own. */
  'delivery.retrying': {
    deliveryId: string;
    endpointId: string;
    eventId: string;
    /**
     * When the next attempt is due (ISO 8601), and how many were made, in all and since it was last sent again, so that a
     * new workflow can sleep at once.
     */
    dueAt?: string;
    attempts?: number;
    roundAttempts?: number;
  };
  /** The row of a delivery or its endpoint changed under the delivery's workflow: look again. */
  'delivery.changed': { deliveryId: string; endpointId: string; eventId: string };
  /** A run waits, or now waits for something else, so it needs a workflow that knows until when. */
  'run.waiting': {
    runId: string;
    automationId?: string;
    /** When it continues unless something comes first; if left out, its workflow looks at once. */
    dueAt?: string | undefined;
    /** It has no workflow yet. */
    isNew?: boolean;
  };
  /** A waiting run has ended, so its workflow must end too. */
  'run.ended': { runId: string };
  /** An automation was deactivated with its runs: those that began before must be ended. */
  'automation.stopped': { automationId: string };
  /** A reminder was created, changed or cancelled, so its workflow must read it again. */
  'reminder.changed': {
    reminderId: string;
    /** For a new one: when its workflow looks first (ISO 8601); at once if left out. */
    dueAt?: string;
    /** For a new one: its first run, by which operators list it. */
    nextAt?: string | undefined;
  };
  /** An endpoint was paused, resumed or deleted, or has a backlog: its deliveries must be adjusted. */
  'endpoint.changed': { endpointId: string };
}

export type CommandType = keyof Commands;
