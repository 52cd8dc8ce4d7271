import { z } from 'zod';
import { CUSTOM_FIELD } from '../../contacts/rules.ts';
import { LONGEST } from '../../conversations/sending/lengths.ts';
import { freeKeys, localTime, recordId, shaped, text } from '../../http/fields.ts';
import {
  contactField,
  duration,
  knowsVariables,
  next,
  refuse,
  stepId,
  tag,
  template,
} from './parts.ts';

/** Null empties the field. A text is filled in for the person first. */
const setField = z.strictObject({
  id: stepId,
  type: z.literal('set_field'),
  field: contactField,
  value: z.union([template(0, 2000), z.number(), z.boolean()]).nullable(),
  next,
});

const addTag = z.strictObject({ id: stepId, type: z.literal('add_tag'), tag, next });
const removeTag = z.strictObject({ id: stepId, type: z.literal('remove_tag'), tag, next });

const createDeal = z.strictObject({
  id: stepId,
  type: z.literal('create_deal'),
  pipeline_id: recordId,
  stage_id: recordId.nullable().default(null).meta({ description: "Null: the pipeline's first." }),
  title: template(1, 120),
  value_cents: z.int().min(0).nullable().default(null),
  next,
});

/** Moves the contact's open deal of that stage's pipeline. */
const moveStage = z.strictObject({
  id: stepId,
  type: z.literal('move_stage'),
  stage_id: recordId,
  next,
});

const assign = z
  .strictObject({
    id: stepId,
    type: z.literal('assign'),
    team_id: recordId,
    member_id: recordId.nullable().default(null),
    next,
  })
  .meta({ description: 'The member must be of the team.' });

const closeConversation = z.strictObject({
  id: stepId,
  type: z.literal('close_conversation'),
  next,
});

/** A reminder to the contact, so long from now; with `time` at that time of the day reached. */
const createReminder = z.strictObject({
  id: stepId,
  type: z.literal('create_reminder'),
  title: template(1, 120),
  text: template(1, LONGEST.text),
  after: duration,
  time: localTime.nullable().default(null),
  next,
});

const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,80}$/;
/** They belong to the connection, or name another server than the address does. */
const NOT_OURS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|expect|te|trailer|upgrade)$/i;
/** What HTTP lets a header be (RFC 9110, section 5.5). */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const MAX_HEADERS = 20;

const headers = z
  .record(
    z.string(),
    text(0, 1000).refine((value) => HEADER_VALUE.test(value), {
      message: 'Must be one line of Latin letters.',
      params: { rule: 'format' },
    }),
  )
  .superRefine((value, ctx) => {
    const names = Object.keys(value);
    if (names.length > MAX_HEADERS)
      refuse(ctx, [], { rule: 'max_items', limit: MAX_HEADERS }, 'Must be at most 20 headers.');
    for (const name of names.filter((each) => !HEADER.test(each) || NOT_OURS.test(each)))
      refuse(ctx, [name], { rule: 'format' }, 'This header cannot be set.');
  });

/** Whether the address may be called at all is the service's to say: as for webhooks. */
const httpRequest = z
  .strictObject({
    id: stepId,
    type: z.literal('http_request'),
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
    url: z.string().min(1).superRefine(knowsVariables).meta({ format: 'uri', maxLength: 2048 }),
    headers: freeKeys(headers).default({}),
    // In a query of GraphQL, `{ name }}` is no variable.
    body: text(0, 16_384).superRefine(knowsVariables).nullable().default(null),
    timeout_seconds: z.int().min(1).max(10).default(10),
    save_to: shaped(CUSTOM_FIELD, 'Must be custom.<key>.').nullable().default(null),
    next,
    on_error: next,
  })
  .superRefine(({ method, body }, ctx) => {
    if (method === 'GET' && body !== null)
      refuse(ctx, ['body'], { rule: 'not_applicable' }, 'A GET has no body.');
  });

/** Steps that change something. */
export const doing = [
  setField,
  addTag,
  removeTag,
  createDeal,
  moveStage,
  assign,
  closeConversation,
  createReminder,
  httpRequest,
] as const;
