import { z } from 'zod';
import { CREATED_VIA, CUSTOM_KEY } from '../../contacts/rules.ts';
import { localTime, recordId, shaped, text } from '../../http/fields.ts';
import { REPEATS } from '../../reminders/rules.ts';
import { duration, recordIds, refuse, tag, weekday } from './parts.ts';

const NUMBERS = recordIds(100).default([]).meta({ description: 'Empty: every number.' });

const onNumbers = <T extends string>(type: T) =>
  z.strictObject({ type: z.literal(type), number_ids: NUMBERS });

const MATCHES = ['any', 'equals', 'starts_with', 'contains_any', 'contains_all'] as const;

/** Only messages that people write in one-to-one chats match; automated and echoed messages never do. */
const messageReceived = z
  .strictObject({
    type: z.literal('message_received'),
    number_ids: NUMBERS,
    match: z.enum(MATCHES).default('any'),
    keywords: z.array(text(1, 100)).max(50).default([]),
  })
  .superRefine(({ match, keywords }, ctx) => {
    if (match === 'any' && keywords.length > 0)
      refuse(ctx, ['keywords'], { rule: 'not_applicable' }, 'Every message matches: leave it out.');
    if (match !== 'any' && keywords.length === 0)
      refuse(ctx, ['keywords'], { rule: 'min_items', limit: 1 }, 'Give at least one keyword.');
  });

/** The contact has not answered our last message for this long. */
const noReply = z.strictObject({
  type: z.literal('no_reply'),
  number_ids: NUMBERS,
  after: duration,
});

const contactCreated = z.strictObject({
  type: z.literal('contact_created'),
  created_via: z
    .array(z.enum(CREATED_VIA))
    .max(CREATED_VIA.length)
    .default([])
    .meta({ description: 'Empty: every way.' }),
});

const tagAdded = z.strictObject({
  type: z.literal('tag_added'),
  tags: z.array(tag).min(1).max(50),
});

const CHANGING = new RegExp(
  `^(?:name|phone|email|birth_date|language|owner_id|notes|custom\\.${CUSTOM_KEY})$`,
);

const fieldChanged = z.strictObject({
  type: z.literal('field_changed'),
  field: shaped(CHANGING, 'Must be a field of the contact, as email or custom.<key>.'),
  to: z
    .union([text(0, 2000), z.number(), z.boolean()])
    .nullable()
    .default(null)
    .meta({ description: 'Null: any new value.' }),
});

const stageChanged = z.strictObject({
  type: z.literal('stage_changed'),
  pipeline_id: recordId.nullable().default(null),
  stage_ids: recordIds(50).default([]).meta({ description: 'Stages entered; empty: every stage.' }),
});

const formSubmitted = z.strictObject({
  type: z.literal('form_submitted'),
  form_ids: recordIds(100).default([]).meta({ description: 'Empty: every form.' }),
});

const campaignReplied = z.strictObject({
  type: z.literal('campaign_replied'),
  campaign_ids: recordIds(100).default([]).meta({ description: 'Empty: every campaign.' }),
});

const ofSegment = <T extends string>(type: T) =>
  z.strictObject({ type: z.literal(type), segment_id: recordId });

const DATES = new RegExp(`^(?:birth_date|custom\\.${CUSTOM_KEY})$`);

/** A number of days from one of the contact's dates: -7 is a week before the birthday. */
const dateField = z.strictObject({
  type: z.literal('date_field'),
  field: shaped(DATES, 'Must be birth_date or custom.<key>.'),
  offset_days: z.int().min(-365).max(365).default(0),
  every_year: z.boolean().default(true),
  time: localTime,
});

type Repeat = (typeof REPEATS)[number];
const USED_BY = {
  date: ['once', 'yearly'],
  weekday: ['weekly'],
  month_day: ['monthly'],
} as const satisfies Record<string, readonly Repeat[]>;

/** Fires at a time, for everyone in the segment at that moment. */
const schedule = z
  .strictObject({
    type: z.literal('schedule'),
    segment_id: recordId,
    repeat: z.enum(REPEATS),
    time: localTime,
    date: z.iso.date().nullable().default(null),
    weekday: weekday.nullable().default(null),
    month_day: z.int().min(1).max(31).nullable().default(null),
  })
  .superRefine((value, ctx) => {
    for (const [field, repeats] of Object.entries(USED_BY)) {
      const used = (repeats as readonly Repeat[]).includes(value.repeat);
      const given = value[field as keyof typeof USED_BY] !== null;
      if (used && !given)
        refuse(ctx, [field], { rule: 'required' }, `${value.repeat} needs this field.`);
      if (!used && given)
        refuse(
          ctx,
          [field],
          { rule: 'not_applicable' },
          `${value.repeat} does not use this field.`,
        );
    }
  });

/** Started by a person, or by the step `start_automation`. */
const manual = z.strictObject({ type: z.literal('manual') });

/** What starts a run (design decisions §9). */
export const trigger = z
  .discriminatedUnion('type', [
    messageReceived,
    onNumbers('first_message'),
    onNumbers('conversation_opened'),
    onNumbers('conversation_closed'),
    noReply,
    contactCreated,
    tagAdded,
    fieldChanged,
    stageChanged,
    formSubmitted,
    campaignReplied,
    ofSegment('segment_entered'),
    ofSegment('segment_left'),
    dateField,
    schedule,
    manual,
  ])
  .meta({ id: 'AutomationTrigger' });

export type Trigger = z.output<typeof trigger>;
/** As a caller writes it, and as it is shown. */
export type TriggerInput = z.input<typeof trigger>;

/** Triggers that fire when the person has just written; `conversation_opened` also when somebody reopens it. */
export const AFTER_A_MESSAGE: ReadonlySet<Trigger['type']> = new Set([
  'message_received',
  'first_message',
  'conversation_opened',
  'campaign_replied',
]);
