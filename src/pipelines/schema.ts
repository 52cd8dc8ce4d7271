import { z } from 'zod';
import { nameUpTo, recordId, words } from '../http/fields.ts';
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
    status: z.enum(STAGE_KINDS),
    lost_reason: z.string().nullable(),
    stage_entered_at: time,
    closed_at: time.nullable(),
    created_at: time,
  })
  .meta({ id: 'Deal' });

const lostReason = words(1, 500).nullable().optional();

const currency = z.string().superRefine((value, ctx) => {
  if (/^[A-Z]{3}$/.test(value)) return;
  const message = 'Must be the three letters of a currency, as BRL.';
  ctx.addIssue({ code: 'custom', message, params: { rule: 'format' } });
});

/** Body of `POST /v1/deals`. The stage implies the pipeline; the title defaults to the contact's name. */
export const newDealBody = z.strictObject({
  stage_id: recordId,
  contact_id: recordId,
  conversation_id: recordId.nullable().optional(),
  title: words(1, MAX_TITLE).optional(),
  value_cents: z.int().min(0).nullable().optional(),
  currency: currency.optional(),
  owner_id: recordId.nullable().optional(),
  lost_reason: lostReason,
});

/** Body of `PATCH /v1/deals/{id}`. */
export const dealPatchBody = newDealBody.pick({
  title: true,
  value_cents: true,
  currency: true,
  owner_id: true,
});

/** Body of `POST /v1/deals/{id}/move`. */
export const moveDealBody = z.strictObject({ stage_id: recordId, lost_reason: lostReason });

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
