import { z } from 'zod';
import { nameUpTo, recordId, shaped, words } from '../http/fields.ts';
import { STAGE_KINDS } from './rules.ts';

/** Characters. */
export const MAX_TITLE = 120;

const time = z.iso.datetime();

/** The specification's Pipeline, with stages by position. */
export const pipelineView = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    created_at: time,
    stages: z.array(
      z.strictObject({
        id: z.string(),
        name: z.string(),
        kind: z.enum(STAGE_KINDS),
        position: z.int(),
      }),
    ),
  })
  .meta({ id: 'Pipeline' });

/** Design decisions §2. */
export const dealView = z
  .strictObject({
    id: z.string(),
    pipeline_id: z.string(),
    stage_id: z.string(),
    contact_id: z.string(),
    conversation_id: z.string().nullable(),
    title: z.string(),
    value_cents: z.int().nullable(),
    currency: z.string(),
    owner_id: z.string().nullable(),
    status: z.enum(STAGE_KINDS).meta({ description: 'The kind of the stage.' }),
    lost_reason: z.string().nullable(),
    stage_entered_at: time,
    closed_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Deal' });

const lostReason = words(500).nullable().optional();

/** Body of `PATCH /v1/deals/{id}`. */
export const dealPatchBody = z.strictObject({
  title: words(MAX_TITLE).optional(),
  value_cents: z.int().min(0).nullable().optional(),
  currency: shaped(/^[A-Z]{3}$/, 'Must be the three letters of a currency, as BRL.').optional(),
  owner_id: recordId.nullable().optional().meta({ description: 'The id of a member.' }),
});

const { title, currency, ...changeable } = dealPatchBody.shape;

/** Body of `POST /v1/deals`. */
export const newDealBody = z.strictObject({
  stage_id: recordId.meta({ description: 'It decides the pipeline.' }),
  contact_id: recordId.meta({
    description:
      'With an API key, a contact has one open deal in a pipeline; a second one is 409 `duplicate`.',
  }),
  conversation_id: recordId
    .nullable()
    .optional()
    .meta({ description: 'A conversation of this contact.' }),
  title: title.meta({ description: 'If left out, what the contact is called.' }),
  ...changeable,
  currency: currency.meta({ description: 'BRL, if left out.' }),
  lost_reason: lostReason.meta({ description: 'Only in a lost stage.' }),
});

/** Body of `POST /v1/deals/{id}/move`. */
export const moveDealBody = z.strictObject({
  stage_id: recordId.meta({ description: 'Of the same pipeline.' }),
  lost_reason: lostReason.meta({
    description:
      'Only for a lost stage. To correct it, name the stage in which the deal is. If left out, the one that is there stays.',
  }),
});

export const dealFilters = z.strictObject({
  status: z.enum(STAGE_KINDS).optional(),
  stage_id: recordId.optional(),
  owner_id: recordId.optional(),
  contact_id: recordId.optional(),
});

/** Input for arranging pipelines, from the command line or the console. */
export const newPipeline = z.strictObject({
  name: nameUpTo(60),
  stages: z
    .array(z.strictObject({ name: nameUpTo(60), kind: z.enum(STAGE_KINDS) }))
    .min(1)
    .max(50),
});
export const newName = z.strictObject({ name: nameUpTo(60) });
const position = z.int().min(0).max(49);
export const newPlace = z.strictObject({ position });
export const newStage = z.strictObject({
  name: nameUpTo(60),
  kind: z.enum(STAGE_KINDS),
  position: position.optional(),
});

export type PipelineView = z.input<typeof pipelineView>;
export type DealView = z.input<typeof dealView>;
export type NewDeal = z.output<typeof newDealBody>;
export type DealPatch = z.output<typeof dealPatchBody>;
export type DealFilters = z.output<typeof dealFilters>;
export type NewPipeline = z.output<typeof newPipeline>;
export type NewStage = z.output<typeof newStage>;
