import { z } from 'zod';
import { ORIGINS } from '../contacts/rules.ts';
import { recordId } from '../http/fields.ts';
import { NUMBER_STATUSES } from '../numbers/rules.ts';
import { PERIODS } from './period.ts';

const count = z.int().min(0);
const date = z.iso.date();
/** PostgreSQL has no year 0, and WhatsApp nothing before 2009. */
const asked = date.refine((day) => day >= '2000-01-01', {
  error: 'Must be 2000-01-01 or later.',
  params: { rule: 'range' },
});

/** Query of both reports (specification, Report query parameters). */
export const reportQuery = z.strictObject({
  period: z.enum(PERIODS).default('30d'),
  from: asked
    .optional()
    .meta({ description: 'First day; needed with the period custom, and refused with others.' }),
  to: asked
    .optional()
    .meta({ description: 'Last day; needed with the period custom, and refused with others.' }),
  number: recordId.optional().meta({ description: 'The id of a number.' }),
  team: recordId
    .optional()
    .meta({ description: 'The id of a team: of conversations that are assigned to it.' }),
  agent: recordId.optional().meta({
    description: 'The id of a member: of conversations that are assigned to this person.',
  }),
  automation: recordId.optional().meta({ description: 'The id of an automation.' }),
  campaign: recordId.optional().meta({
    description:
      'The id of a campaign. Leaves the messages of the campaign itself, and the runs that answers to it began: of the automation report only `automations` is filled then.',
  }),
  pipeline: recordId
    .optional()
    .meta({ description: 'The id of a pipeline: of contacts with a deal in it.' }),
  origin: z.enum(ORIGINS).optional(),
});

const frame = {
  workspace: z.string(),
  range: z.strictObject({
    from: date,
    to: date,
    days: count,
    previous: z.strictObject({ from: date, to: date }),
  }),
  now: z.iso.datetime(),
  time_zone: z.string(),
};

const is = (description: string) => count.meta({ description });

/** What each figure means: design decisions §20. */
const talk = {
  count: is('Conversations with at least one automated message in the range.'),
  without_agent: is('Of these, those that ended in the range without a message of a member.'),
  ai_replies: is('Messages sent by `ai_reply` steps.'),
  handed_over: is('Conversations in which a run ended `handed_over`, or a person took over.'),
  ai_seconds: z.number().nullable().meta({
    description: "Median seconds from the person's message to the AI's answer; null without any.",
  }),
};

const saved = z
  .strictObject({
    minutes: z.number().meta({ description: 'Automated messages × `per_message`.' }),
    per_message: z.number().meta({
      description:
        "Minutes a member needs for a message: the workspace's median of 30 days from 50 samples on, 1.5 before.",
    }),
    measured: z.boolean().meta({ description: 'Whether `per_message` is that median.' }),
  })
  .meta({ description: 'Working time, estimated.' });

/** The specification's Reports; `previous` is ours: the same figures for the period before (design decisions §20). */
export const automationReportView = z
  .strictObject({
    ...frame,
    ...talk,
    saved,
    days: z.array(
      z.strictObject({
        day: date,
        automated: is('Messages that automations sent.'),
        team: is('Messages that members sent.'),
      }),
    ),
    automations: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        runs: is('Runs that began in the range.'),
        succeeded: count,
        failed: count,
        done: is('Those that ended in any way: at least `succeeded` and `failed` together.'),
      }),
    ),
    questions: z.array(z.strictObject({ text: z.string(), count })).meta({
      description:
        'The ten questions that people asked automations most often, alike ones together, personal data masked.',
    }),
    previous: z.strictObject({ ...talk, saved_minutes: z.number() }),
  })
  .meta({ id: 'AutomationReport' });

const reasons = z
  .strictObject({
    no_whatsapp: count,
    no_recipient: count,
    throttled: count,
    out_of_window: count,
  })
  .meta({ description: 'Why messages were lost; what is missing to `lost` has other reasons.' });
const sums = {
  attempted: is(
    'Messages that came to be sent, by whomever but the phone itself. What is missing to `delivered` and `lost` is on its way, or unconfirmed.',
  ),
  delivered: is('Those that arrived, read or not.'),
  lost: is('Those that ended without arriving: failed, or passed over when their turn came.'),
};

export const numbersReportView = z
  .strictObject({
    ...frame,
    ...sums,
    reasons,
    numbers: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        status: z.enum(NUMBER_STATUSES),
        disconnected_at: z.iso
          .datetime()
          .nullable()
          .meta({ description: 'Since when it is not connected; null while it is.' }),
        attempted: count,
        delivered: count,
        days: z.array(count).meta({
          description:
            "Of each day's messages, those delivered; in the order of the report's `days`.",
        }),
      }),
    ),
    days: z.array(date),
    previous: z.strictObject({ ...sums, reasons }),
  })
  .meta({ id: 'NumbersReport' });

export type ReportQuery = z.output<typeof reportQuery>;
export type AutomationReport = z.input<typeof automationReportView>;
export type NumbersReport = z.input<typeof numbersReportView>;
