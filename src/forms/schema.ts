import { z } from 'zod';
import { tag } from '../contacts/fields.ts';
import { recordId, text, words } from '../http/fields.ts';
import {
  FIELD_TYPES,
  FORM_STATUSES,
  type FormField,
  fittingTypes,
  hasOptions,
  OUTCOMES,
  TARGETS_SAID,
  targetOf,
} from './rules.ts';

const MAX_FIELDS = 20;
const MAX_OPTIONS = 50;
const TARGETS = ['', 'name', 'phone', 'email', 'birth_date', 'notes', 'custom.<key>'];

type Issues = z.core.$RefinementCtx;

interface Problem {
  readonly rule: string;
  readonly message: string;
  readonly limit?: number;
  /** The allowed values, if they can be listed. */
  readonly allowed?: readonly string[];
}

function report(ctx: Issues, path: PropertyKey[], { message, ...params }: Problem): void {
  ctx.addIssue({ code: 'custom', path, message, params });
}

const fieldShape = {
  type: z.enum(FIELD_TYPES).meta({
    description:
      'A `consent` is kept with its words as consent to marketing; a form asks for it once.',
  }),
  label: words(120),
  required: z.boolean().default(false),
  save_to: text(0, 60)
    .default('')
    .meta({
      description: `The field of the contact that the answer fills. ${TARGETS_SAID} A \`<key>\` has 1 to 40 of \`a-z\`, \`0-9\` and \`_\`. No two fields are saved to the same.`,
    }),
  options: z
    .array(words(80))
    .max(MAX_OPTIONS)
    .default([])
    .meta({ description: 'Of `select` and `multi_select`, at least one; of others none.' }),
};
type FieldInput = Pick<FormField, 'type' | 'save_to' | 'options'>;

function checkTarget({ type, save_to }: FieldInput, ctx: Issues): void {
  const types = fittingTypes(save_to);
  const path = ['save_to'];
  if (!types)
    report(ctx, path, {
      rule: 'enum',
      message: `Must be one of ${TARGETS.map((one) => one || '""').join(', ')}.`,
      allowed: TARGETS,
    });
  else if (!types.includes(type))
    report(ctx, path, {
      rule: 'save_to_type',
      message: `An answer of type ${type} cannot be saved to ${save_to}.`,
    });
}

function checkOptions({ type, options }: FieldInput, ctx: Issues): void {
  if (hasOptions(type) && options.length === 0)
    report(ctx, ['options'], {
      rule: 'min_items',
      limit: 1,
      message: `A field of type ${type} needs at least 1 option.`,
    });
  if (!hasOptions(type) && options.length > 0)
    report(ctx, ['options'], {
      rule: 'max_items',
      limit: 0,
      message: `A field of type ${type} has no options: send [].`,
    });
  for (const [i, option] of options.entries())
    if (/[\r\n]/.test(option))
      report(ctx, ['options', i], { rule: 'format', message: 'An option is a single line.' });
    else if (options.findIndex((one) => one.trim() === option.trim()) < i)
      report(ctx, ['options', i], { rule: 'unique', message: 'This option is there already.' });
}

function checkField(field: FieldInput, ctx: Issues): void {
  checkTarget(field, ctx);
  checkOptions(field, ctx);
}

/** Two fields saved to the same place would overwrite each other. */
function checkTargets(list: readonly FieldInput[], ctx: Issues): void {
  const targets = list.map(targetOf);
  for (const [i, target] of targets.entries()) {
    if (target === null || targets.indexOf(target) === i) continue;
    if (target === 'consent')
      report(ctx, [i, 'type'], { rule: 'unique', message: 'A form asks for consent once.' });
    else
      report(ctx, [i, 'save_to'], {
        rule: 'unique',
        message: `Another field is saved to ${target} already.`,
      });
  }
}

const fieldsOf = <F extends z.ZodType<FieldInput>>(field: F) =>
  z.array(field).min(1).max(MAX_FIELDS).superRefine(checkTargets).meta({
    description: 'One of them is required and saved to `phone`, unless `personal_link` is true.',
  });

const newField = z.strictObject(fieldShape).superRefine(checkField);
/** A field with its `key` stays the same field, whatever its label becomes. */
const editedField = z
  .strictObject({
    ...fieldShape,
    key: text(1, 60)
      .optional()
      .meta({ description: 'Of a field that stays the same under another label.' }),
  })
  .superRefine(checkField);

const content = {
  title: words(120),
  description: text(0, 500).nullable(),
  fields: fieldsOf(newField),
  thanks: text(0, 1000)
    .nullable()
    .meta({ description: 'What is shown after sending; null for words of ours.' }),
  tag: tag.nullable().meta({ description: 'Added to whoever answers.' }),
  automation: words(100)
    .nullable()
    .meta({ description: 'The name of the automation that begins when the form is sent.' }),
  personal_link: z.boolean().meta({
    description:
      'Whether only a link made for one contact opens it (`POST /v1/forms/{id}/links`). Such a form need not ask for a phone.',
  }),
};

/** Body of `POST /v1/forms` (specification, Form; design decisions §3). */
export const newFormBody = z.strictObject({
  ...content,
  personal_link: content.personal_link.default(false),
});

/** Body of `PATCH /v1/forms/{id}`: what is left out stays. A field that keeps its `key` may change its label. */
export const formPatchBody = z
  .strictObject({
    ...content,
    fields: fieldsOf(editedField),
  })
  .partial();

export const linkBody = z.strictObject({
  contact_id: recordId,
  days: z.int().min(1).max(365).default(30).meta({ description: 'Days until the link ends.' }),
});

const time = z.iso.datetime();
const actor = z.strictObject({
  type: z.string(),
  id: z.string().nullable(),
  name: z.string(),
});

export const formIdView = z.strictObject({ id: z.string() });

export const publishedView = z.strictObject({
  id: z.string(),
  status: z.enum(FORM_STATUSES),
  url: z.string(),
});

export const formView = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    fields: z.array(
      z.strictObject({
        type: z.enum(FIELD_TYPES),
        label: z.string(),
        required: z.boolean(),
        save_to: z.string(),
        options: z.array(z.string()),
        key: z.string(),
      }),
    ),
    thanks: z.string().nullable(),
    tag: z.string().nullable(),
    automation: z.string().nullable().meta({ description: 'By its name.' }),
    status: z.enum(FORM_STATUSES),
    version: z.int(),
    personal_link: z.boolean(),
    url: z.string().nullable(),
    created_by: actor,
    published_at: time.nullable(),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Form' });

export const linkView = z.strictObject({ url: z.string(), expires_at: time });

const answer = z.strictObject({
  label: z.string(),
  type: z.enum(FIELD_TYPES),
  value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.null()]),
});

/** Specification, Form submission; design decisions §3. */
export const submissionView = z
  .strictObject({
    id: z.string(),
    contact_id: z.string().meta({ description: 'Empty once the contact was deleted.' }),
    answers: z.record(z.string(), answer),
    outcome: z.enum(OUTCOMES).meta({
      description:
        'What became of the contact. A conflict: the e-mail address that was given is of another contact, and was left there.',
    }),
    created_at: time,
    run_id: z.string().nullable().meta({ description: 'The run of the automation that it began.' }),
    form_version: z.int(),
    conflict_contact_id: z
      .string()
      .nullable()
      .meta({ description: 'Of a `contact_conflict`: whose the e-mail address is.' }),
  })
  .meta({ id: 'FormSubmission' });

export const submissionFilters = z.strictObject({ outcome: z.enum(OUTCOMES).optional() });
export const formFilters = z.strictObject({ status: z.enum(FORM_STATUSES).optional() });

export type FormFilters = z.output<typeof formFilters>;
export type SubmissionFilters = z.output<typeof submissionFilters>;
export type NewForm = z.output<typeof newFormBody>;
export type FormPatch = z.output<typeof formPatchBody>;
export type FormView = z.input<typeof formView>;
export type SubmissionView = z.input<typeof submissionView>;
