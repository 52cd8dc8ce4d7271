import { z } from 'zod';
import { contactDetails, contactFields } from '../../contacts/fields.ts';
import { DIRECTIONS } from '../../conversations/rules.ts';
import { LONGEST } from '../../conversations/sending/lengths.ts';
import { dateTime, recordId, text, words } from '../../http/fields.ts';
import {
  durationMs,
  LONGEST_RUN_MS,
  RUN_ERRORS,
  RUN_STATUSES,
  RUN_STEP_STATUSES,
} from '../rules.ts';
import { runError } from '../schema.ts';

const MAX_REPLIES = 50;
const MAX_ANSWERS = 50;

/** ISO 8601, no longer than a run. */
const offset = z.string().superRefine((value, ctx) => {
  const ms = durationMs(value);
  if (ms !== null && ms <= LONGEST_RUN_MS) return;
  const message = 'Must be a duration of at most 400 days, as PT5M or P1DT2H.';
  ctx.addIssue({ code: 'custom', message, params: { rule: 'format' } });
});

const { notes: _, ...details } = contactDetails;

/** The invented person, by the rules of contacts. The phone is made up and belongs to no one. */
const person = z.strictObject({
  name: text(0, 200).optional(),
  email: contactFields.email,
  ...details,
});

const answer = z.strictObject({
  step_id: words(60),
  /** Of `http_request`. */
  status: z.int().min(200).max(599).optional(),
  /** Of `http_request`. */
  body: text(0, 10_000).optional(),
  /** Of `ai_reply`: what the model says. */
  text: text(0, LONGEST.text).optional(),
  /** Of `ai_reply`: what the model decides, beside or instead of talking. */
  tool: z.enum(['hand_over', 'goal_reached']).optional(),
  /** There is no answer, or no AI. */
  fails: z.boolean().optional(),
});

/** `POST /v1/automations/{id}/simulate`: everything may be left out. */
export const simulationBody = z.strictObject({
  starts_at: dateTime()
    .optional()
    .meta({ description: 'The virtual clock begins here; now, if left out.' }),
  number_id: recordId.optional().meta({
    description:
      "The number of the conversation; if left out, the trigger's first one, or the oldest. A run that no message begins is in no conversation, unless a number is named here or by the trigger, or the trigger happens in one (`no_reply`, `conversation_opened`, `conversation_closed`).",
  }),
  contact: person.prefault({}),
  message: text(1, LONGEST.text).nullable().default(null).meta({
    description:
      'What the person wrote: the run begins with it if a message can fire the trigger, else they wrote it before. Null: nothing; where only a message fires the trigger, one is made up, of its keywords if it has any.',
  }),
  replies: z
    .array(z.strictObject({ after: offset, text: text(1, LONGEST.text) }))
    .max(MAX_REPLIES)
    .default([])
    .meta({ description: 'What the person writes later, each so long after the beginning.' }),
  answers: z.array(answer).max(MAX_ANSWERS).default([]).meta({
    description:
      'What other servers answer: they are never called. The answers of a step are taken in order, and the last one again.',
  }),
});

const time = z.iso.datetime();

const said = z.strictObject({
  at: time,
  direction: z.enum(DIRECTIONS),
  type: z.string(),
  text: z.string(),
  template: z.unknown().nullable(),
  media_id: z.string().nullable(),
});

/** Why it was not followed to its end. */
export const STOPPED_BY = ['steps', 'looks'] as const;

export const simulationView = z
  .strictObject({
    status: z.enum(RUN_STATUSES),
    started_at: time,
    finished_at: time.nullable(),
    stopped_by: z.enum(STOPPED_BY).nullable().meta({
      description:
        'Null when the run ended. `steps`: it took 200. `looks`: its waits took 600 looks at the clock.',
    }),
    error: runError,
    steps: z.array(
      z.strictObject({
        step_id: z.string(),
        type: z.string(),
        status: z.enum(RUN_STEP_STATUSES),
        started_at: time,
        finished_at: time.nullable(),
        branch: z.string().nullable().meta({
          description: 'The way out that was taken, as the step names it: `cases[0].next`.',
        }),
        next_step_id: z.string().nullable(),
        output: z.record(z.string(), z.unknown()).nullable(),
        error: z.strictObject({ code: z.enum(RUN_ERRORS), message: z.string() }).nullable(),
        messages: z.array(said).meta({ description: 'What it sent, or would have.' }),
      }),
    ),
    conversation: z.array(said),
    unheard_replies: z.int().min(0).meta({
      description: 'Replies for which the run was over, or had not got so far.',
    }),
  })
  .meta({ id: 'AutomationSimulation' });

export type SimulationInput = z.output<typeof simulationBody>;
export type SimulationView = z.input<typeof simulationView>;
export type GivenAnswer = z.output<typeof answer>;
