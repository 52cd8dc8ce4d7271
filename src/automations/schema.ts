import { z } from 'zod';
import { recordId, text, words } from '../http/fields.ts';
import { TEMPLATE_LANGUAGE } from '../templates/rules.ts';
import { entry } from './definition/entry.ts';
import { type Definition, definitionFields, storedFields } from './definition/language.ts';
import { refuse } from './definition/parts.ts';
import { ISSUE_CODES, SEVERITIES } from './issues/issues.ts';
import {
  AUTOMATION_STATUSES,
  IN_PROGRESS,
  RUN_ERRORS,
  RUN_STATUSES,
  RUN_STEP_STATUSES,
} from './rules.ts';

const time = z.iso.datetime();

const fields = {
  name: words(100),
  description: text(0, 500).nullable(),
  ...definitionFields,
};

/** Checked on input only, so that automations stored before this rule can still be read. */
function refuseBlankKeywords(
  { trigger }: { readonly trigger?: Definition['trigger'] | undefined },
  ctx: z.core.$RefinementCtx,
): void {
  if (trigger?.type !== 'message_received') return;
  for (const [index, keyword] of trigger.keywords.entries()) {
    if (keyword.trim() !== '') continue;
    const path = ['trigger', 'keywords', index];
    refuse(ctx, path, { rule: 'min_length', limit: 1 }, 'Must not be blank.');
  }
}

/** On input only, for the same reason. */
function refuseLanguages(
  { steps = [] }: { readonly steps?: Definition['steps'] | undefined },
  ctx: z.core.$RefinementCtx,
): void {
  for (const [index, step] of steps.entries()) {
    if (step.type !== 'send_template' || TEMPLATE_LANGUAGE.test(step.language)) continue;
    const message = 'Must be a language of WhatsApp, as pt_BR.';
    refuse(ctx, ['steps', index, 'language'], { rule: 'format' }, message);
  }
}

/** `POST /v1/automations` (design decisions §9). */
export const newAutomation = z
  .strictObject({
    ...fields,
    description: fields.description.default(null),
    entry: entry.prefault({}),
  })
  .superRefine(refuseBlankKeywords)
  .superRefine(refuseLanguages);

/** `PATCH /v1/automations/{id}`: what is left out stays; what is given replaces that part whole. */
export const automationPatch = z
  .strictObject(fields)
  .partial()
  .superRefine(refuseBlankKeywords)
  .superRefine(refuseLanguages);

/** `POST …/deactivate` (specification). */
export const deactivateBody = z.strictObject({
  in_progress: z.enum(IN_PROGRESS).default('finish'),
});

export const automationFilters = z.strictObject({ status: z.enum(AUTOMATION_STATUSES).optional() });

export const runFilters = z.strictObject({
  status: z.enum(RUN_STATUSES).optional(),
  contact_id: recordId.optional(),
});

const summary = {
  id: z.string(),
  name: z.string(),
  status: z.enum(AUTOMATION_STATUSES),
  created_at: time,
  updated_at: time,
  version: z.int().min(0).meta({ description: 'The last one published; 0 before the first.' }),
  description: z.string().nullable(),
  unpublished_edits: z
    .boolean()
    .meta({ description: 'The draft differs from what new runs follow.' }),
};

export const automationView = z.strictObject(summary).meta({ id: 'Automation' });

const issue = z
  .strictObject({
    step_id: z.string().nullable(),
    code: z.enum(ISSUE_CODES),
    message: z.string(),
    severity: z
      .enum(SEVERITIES)
      .meta({ description: 'Any error keeps the automation from being activated.' }),
    path: z.string().nullable(),
  })
  .meta({ id: 'AutomationIssue' });

/** With the draft: what the next activation publishes. */
export const automationDetail = z
  .strictObject({
    ...summary,
    issues: z.array(issue),
    ...storedFields,
    runs_dropped: z.record(z.string(), z.int().min(1)).meta({
      description:
        'How often the trigger fired and started no run, by reason: `active_run`, `reentry`, `conditions`, ' +
        '`handled_by_member`, `blocked`, `opted_out`, `own_chain`, `too_deep`, `missed`, `segment_too_heavy`, `inactive`.',
    }),
  })
  .meta({ id: 'AutomationDetail' });

/** Why a run failed, and at which step. */
export const runError = z
  .strictObject({ step_id: z.string().nullable(), code: z.enum(RUN_ERRORS), message: z.string() })
  .nullable();

const run = {
  id: z.string(),
  automation_id: z.string(),
  version: z.int(),
  contact_id: z.string().nullable().meta({ description: 'Null when the contact was deleted.' }),
  conversation_id: z.string().nullable(),
  trigger: z.strictObject({ type: z.string(), ref: z.string().nullable() }),
  status: z.enum(RUN_STATUSES),
  current_step_id: z.string().nullable(),
  wait_until: time.nullable(),
  started_at: time,
  finished_at: time.nullable(),
  error: runError,
  depth: z.int().min(0),
  cause_run_id: z.string().nullable(),
};

export const runView = z.strictObject(run).meta({ id: 'AutomationRun' });

export const runDetail = z
  .strictObject({
    ...run,
    steps: z
      .array(
        z.strictObject({
          step_id: z.string(),
          type: z.string(),
          status: z.enum(RUN_STEP_STATUSES),
          output: z.record(z.string(), z.unknown()).nullable(),
          error: z.strictObject({ code: z.enum(RUN_ERRORS), message: z.string() }).nullable(),
          started_at: time,
          finished_at: time.nullable(),
        }),
      )
      .meta({ description: 'In the order they were taken, the last 1,000.' }),
  })
  .meta({ id: 'AutomationRunDetail' });

export type AutomationFilters = z.output<typeof automationFilters>;
export type RunFilters = z.output<typeof runFilters>;
export type NewAutomation = z.output<typeof newAutomation>;
export type AutomationPatch = z.output<typeof automationPatch>;
export type AutomationView = z.input<typeof automationView>;
export type AutomationDetail = z.input<typeof automationDetail>;
export type RunView = z.input<typeof runView>;
export type RunDetail = z.input<typeof runDetail>;
