import { z } from 'zod';
import { ORIGINS } from '../contacts/rules.ts';
import { text } from '../http/fields.ts';
import { NUMBER_STATUSES } from '../numbers/rules.ts';
import { PERIODS } from './period.ts';

const id = text(1, 100);
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
  number: id.optional(),
  team: id.optional(),
  agent: id.optional(),
  automation: id.optional(),
  campaign: id.optional().meta({
    description:
      'Leaves the messages of the campaign itself, and the runs that answers to it began: of the automation report only `automations` is filled then.',
  }),
  pipeline: id.optional(),
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

const talk = {
  count,
  without_agent: count,
  ai_replies: count,
  handed_over: count,
  ai_seconds: z.number().nullable(),
};

/** The specification's Reports; `previous` is ours: the same figures for the period before (design decisions §20). */
export const automationReportView = z
  .strictObject({
    ...frame,
    ...talk,
    saved: z.strictObject({ minutes: z.number(), per_message: z.number(), measured: z.boolean() }),
    days: z.array(z.strictObject({ day: date, automated: count, team: count })),
    automations: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        runs: count,
        succeeded: count,
        failed: count,
        done: count,
      }),
    ),
    questions: z.array(z.strictObject({ text: z.string(), count })),
    previous: z.strictObject({ ...talk, saved_minutes: z.number() }),
  })
  .meta({ id: 'AutomationReport' });

const reasons = z.strictObject({
  no_whatsapp: count,
  no_recipient: count,
  throttled: count,
  out_of_window: count,
});
const sums = { attempted: count, delivered: count, lost: count };

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
        disconnected_at: z.iso.datetime().nullable(),
        attempted: count,
        delivered: count,
        days: z.array(count),
      }),
    ),
    days: z.array(date),
    previous: z.strictObject({ ...sums, reasons }),
  })
  .meta({ id: 'NumbersReport' });

export type ReportQuery = z.output<typeof reportQuery>;
export type AutomationReport = z.input<typeof automationReportView>;
export type NumbersReport = z.input<typeof numbersReportView>;
