import { z } from 'zod';
import { LONGEST } from '../conversations/sending/lengths.ts';
import { ABOUT_FREE_TEXT } from '../conversations/sending/personal-text.ts';
import { localTime, recordId, text, timeZone, words } from '../http/fields.ts';
import {
  CANCEL_REASONS,
  REMINDER_STATUSES,
  REPEATS,
  RUN_RECIPIENT_STATUSES,
  RUN_STATUSES,
  TARGETS,
} from './rules.ts';

const moment = z.iso.datetime();
const count = z.int().min(0);

const refuse = (ctx: z.core.$RefinementCtx, rule: string, message: string): void =>
  ctx.addIssue({ code: 'custom', message, params: { rule } });

const date = z.iso.date().superRefine((value, ctx) => {
  // Years outside this range are typing errors, and some of them no database can store.
  if (value < '1900' || value >= '2200') refuse(ctx, 'range', 'Must be from 1900 to 2199.');
});

const DAYS = '1 is Monday, 7 Sunday';
const MONTH_DAY = 'Of a monthly one. A month that is shorter has it on its last day.';

const fields = {
  title: words(120),
  text: words(LONGEST.text).meta({ description: ABOUT_FREE_TEXT }),
  target: z.enum(TARGETS),
  contact_id: recordId.nullable(),
  group_id: recordId.nullable(),
  segment_id: recordId.nullable(),
  phone: text(1, 40).nullable(),
  number_id: recordId,
  repeat: z.enum(REPEATS),
  date: date.nullable(),
  time: localTime,
  weekday: z
    .int()
    .min(0)
    .max(7)
    .nullable()
    .meta({ description: `Of a weekly one: ${DAYS}; 0 is taken for Sunday, too.` }),
  month_day: z.int().min(1).max(31).nullable().meta({ description: MONTH_DAY }),
  time_zone: timeZone().meta({ description: "IANA. By default the workspace's." }),
  ends_on: date.nullable(),
  transactional: z.boolean().meta({
    description:
      'Whether people who opted out get it, too. Only a person may set it, also through an app: an API key is answered 403 `oauth_required`.',
  }),
};

/** Body of `POST /v1/reminders` (design decisions §10). */
export const newReminderBody = z.strictObject({
  ...fields,
  contact_id: fields.contact_id.default(null),
  group_id: fields.group_id.default(null),
  segment_id: fields.segment_id.default(null),
  phone: fields.phone.default(null),
  date: fields.date.default(null),
  weekday: fields.weekday.default(null),
  month_day: fields.month_day.default(null),
  time_zone: fields.time_zone.optional(),
  ends_on: fields.ends_on.default(null),
  transactional: fields.transactional.default(false),
});

/** Body of `PATCH /v1/reminders/{id}`: fields that are left out stay. */
export const reminderPatchBody = z.strictObject(fields).partial();

export const reminderFilters = z.strictObject({
  status: z.enum(REMINDER_STATUSES).optional(),
  target: z.enum(TARGETS).optional(),
  number_id: recordId.optional(),
  contact_id: recordId.optional(),
  segment_id: recordId.optional(),
});

/** The specification's Reminder; the last three fields are ours. */
export const reminderView = z
  .strictObject({
    id: z.string(),
    title: z.string().meta({ description: '"…" once the contact that it was to is deleted.' }),
    text: z.string().meta({ description: '"" once the contact that it was to is deleted.' }),
    target: z.enum(TARGETS),
    contact_id: z.string().nullable(),
    group_id: z.string().nullable(),
    segment_id: z.string().nullable(),
    phone: z.string().nullable(),
    number_id: z.string(),
    repeat: z.enum(REPEATS),
    date: z.iso.date().nullable(),
    time: z.string(),
    weekday: z
      .int()
      .nullable()
      .meta({ description: `${DAYS}.` }),
    month_day: z.int().nullable().meta({ description: MONTH_DAY }),
    time_zone: z.string(),
    status: z.enum(REMINDER_STATUSES),
    next_run_at: moment.nullable(),
    created_at: moment,
    ends_on: z.iso.date().nullable(),
    transactional: z.boolean(),
    cancel_reason: z.enum(CANCEL_REASONS).nullable(),
  })
  .meta({ id: 'Reminder' });

/**
 * One run (design decisions §10). `reasons` counts those not sent to, by reason; the last three fields are ours. Once
 * it is over, `recipients` is the sum of `sent`, `failed`, `unconfirmed`, `skipped` and `cancelled`.
 */
export const runView = z
  .strictObject({
    id: z.string(),
    scheduled_for: moment,
    started_at: moment.nullable(),
    status: z.enum(RUN_STATUSES),
    recipients: count,
    sent: count,
    failed: count,
    reasons: z.record(z.string(), count).meta({
      description:
        'How many were not sent to, by reason. One that counts 0 is why a run was missed before it was looked up whom it is for.',
    }),
    unconfirmed: count,
    skipped: count,
    cancelled: count,
  })
  .meta({ id: 'ReminderRun' });

export const runRecipientFilters = z.strictObject({
  status: z.enum(RUN_RECIPIENT_STATUSES).optional(),
});

/** A recipient of a run. Both ids are null for a contact that was deleted, and for a phone that is no contact yet. */
export const runRecipientView = z
  .strictObject({
    contact_id: z.string().nullable(),
    group_id: z.string().nullable(),
    status: z.enum(RUN_RECIPIENT_STATUSES),
    reason: z.string().nullable().meta({
      description:
        'Why it was not sent to: one of the `reasons` of the run. Null where the status says it.',
    }),
    message_id: z.string().nullable(),
  })
  .meta({ id: 'ReminderRecipient' });

export type NewReminder = z.output<typeof newReminderBody>;
export type ReminderPatch = z.output<typeof reminderPatchBody>;
export type ReminderFilters = z.output<typeof reminderFilters>;
export type ReminderView = z.input<typeof reminderView>;
export type RunView = z.input<typeof runView>;
export type RunRecipientView = z.input<typeof runRecipientView>;
