import { z } from 'zod';
import { CUSTOM_KEY, tagOf } from '../../contacts/rules.ts';
import { formOf, halvesAmong, variablesIn } from '../../contacts/variables.ts';
import { recordId, shaped, text } from '../../http/fields.ts';
import { durationMs, LONGEST_WAIT_MS } from '../rules.ts';

/** Reports a violation of a schema's own rule, in the form of the API's errors. */
export function refuse(
  ctx: z.core.$RefinementCtx,
  path: (string | number)[],
  params: {
    readonly rule: string;
    readonly limit?: number;
    readonly allowed?: readonly (string | number)[];
    readonly which?: readonly (string | number)[];
  },
  message: string,
): void {
  ctx.addIssue({ code: 'custom', path, message, params });
}

/** At most `max` ids, without duplicates. */
export const recordIds = (max: number) =>
  z
    .array(recordId)
    .max(max)
    .superRefine((ids, ctx) => {
      if (new Set(ids).size !== ids.length) refuse(ctx, [], { rule: 'unique' }, 'Name each once.');
    });

const STEP_ID = /^[A-Za-z0-9_-]{1,40}$/;

export const stepId = shaped(
  STEP_ID,
  'A step is named by 1 to 40 letters, digits, hyphens or underscores.',
);

/** The next step. It may be missing in a draft, which then cannot be activated. */
export const next = stepId.nullable().default(null);

/** `P1DT12H`: positive, and no longer than a run may wait. */
export const duration = z
  .string()
  .superRefine((value, ctx) => {
    const ms = durationMs(value);
    if (ms === null) {
      const message = 'Must be a duration of weeks, days, hours, minutes or seconds, as P1DT12H.';
      refuse(ctx, [], { rule: 'format' }, message);
    } else if (ms === 0 || ms > LONGEST_WAIT_MS) {
      refuse(ctx, [], { rule: 'duration_range' }, 'Must be longer than nothing, at most 365 days.');
    }
  })
  .meta({ format: 'duration' });

/** 1 is Monday, 7 is Sunday (ISO 8601). */
export const weekday = z.int().min(1).max(7);

/** Like a contact's. In a draft it may be blank: its issues say so. */
export const tag = text(
  1,
  60,
  z.string().overwrite((given) => tagOf(given) || given),
);

const WRITABLE = new RegExp(`^(?:name|email|birth_date|language|notes|custom\\.${CUSTOM_KEY})$`);

/** A field of the contact that a step can write. The phone identifies the person, so no step changes it. */
export const contactField = shaped(
  WRITABLE,
  'Must be name, email, birth_date, language, notes or custom.<key>.',
);

const NAMES = `name|first_name|phone|email|message\\.text|custom\\.${CUSTOM_KEY}|step\\.[A-Za-z0-9_-]{1,40}\\.[a-z_]{1,40}`;

const KNOWN = new RegExp(`^(?:${NAMES})$`);

const halvesIn = halvesAmong(NAMES);

const THERE_ARE = [
  ...['name', 'first_name', 'phone', 'email', 'message.text'],
  ...['custom.<key>', 'step.<id>.<output>'],
];

/** Refuses variables that no run has. */
export function knowsVariables(value: string, ctx: z.RefinementCtx): void {
  for (const name of variablesIn(value).filter((variable) => !KNOWN.test(variable)))
    refuse(
      ctx,
      [],
      { rule: 'unknown_variable', which: [name], allowed: THERE_ARE },
      `There is no variable {{${name}}}.`,
    );
}

function closesVariables(value: string, ctx: z.RefinementCtx): void {
  for (const name of halvesIn(value))
    refuse(ctx, [], { rule: 'variable_form', which: [name] }, formOf(name));
}

/** A text with variables: `{{first_name}}`, `{{custom.key|fallback}}`, `{{step.ask.answer}}`. */
export const template = (min: number, max: number) =>
  text(min, max).superRefine(knowsVariables).superRefine(closesVariables);
