import { z } from 'zod';
import { recordId, shaped, text, words } from '../../http/fields.ts';
import { TEMPLATE_LANGUAGE } from '../../templates/rules.ts';
import { LONGEST } from './lengths.ts';

const UNFIT = /[\r\n\t]| {5}/;

/** WhatsApp refuses the whole message for one that it does not take. */
const parameter = words(LONGEST.parameter).refine((value) => !UNFIT.test(value), {
  message: 'Must have no line break, no tab, and no more than four spaces in a row.',
  params: { rule: 'format' },
});

const template = z.strictObject({
  name: z.string().min(1).max(512),
  language: shaped(TEMPLATE_LANGUAGE, 'Must be a language of WhatsApp, as pt_BR.'),
  parameters: z.array(parameter).max(50).default([]).meta({
    description:
      'In the order in which the template takes them. No line break, no tab, no more than four spaces in a row.',
  }),
});

const content = {
  text: words(LONGEST.text).optional().meta({
    description: 'The message, or the caption of the file; a caption has at most 1024 characters.',
  }),
  media_id: recordId
    .optional()
    .meta({ description: 'The id that `POST /v1/media` of the API returned.' }),
  template: template
    .optional()
    .meta({ description: 'An approved template, without text or file.' }),
  reply_to_id: recordId.optional().meta({ description: 'A message of the same conversation.' }),
  client_ref: text(1, 100).optional().meta({
    description:
      'Your own reference. For 30 days, repeating it returns the first message with 200 and sends nothing, whoever in the workspace repeats it.',
  }),
};

interface Content {
  readonly text?: string | undefined;
  readonly media_id?: string | undefined;
  readonly template?: unknown;
}

type Refine = z.core.$RefinementCtx<Content>;

function checkContent(body: Content, ctx: Refine): void {
  const refuse = (path: string, rule: string, message: string, limit?: number): void =>
    ctx.addIssue({ code: 'custom', path: [path], message, params: { rule, limit } });
  const { text: written, media_id: media } = body;
  if (body.template !== undefined) {
    if (written !== undefined) refuse('text', 'not_applicable', 'A template brings its own text.');
    if (media !== undefined) refuse('media_id', 'not_applicable', 'A template takes no file here.');
  } else if (written === undefined && media === undefined) {
    refuse('text', 'required', 'Give text, media_id or template.');
  } else if (
    media !== undefined &&
    written !== undefined &&
    [...written].length > LONGEST.caption
  ) {
    refuse('text', 'max_length', 'A caption has at most 1024 characters.', LONGEST.caption);
  }
}

/** `POST /v1/conversations/{id}/messages` and `POST /v1/groups/{id}/messages` (design decisions §1). */
export const newMessageBody = z.strictObject(content).superRefine(checkContent);

const ADDRESSEES = ['contact_id', 'phone', 'group_id'] as const;

/** Body of `POST /v1/messages`: the same, plus the addressee. */
export const addressedMessageBody = z
  .strictObject({
    number_id: recordId.meta({ description: 'The number that sends.' }),
    contact_id: recordId.optional(),
    phone: z.string().min(1).max(40).optional().meta({
      description: 'With + and the country code; a contact is created if none has it.',
    }),
    group_id: recordId.optional().meta({ description: 'Needs the scope `groups:write` as well.' }),
    ...content,
  })
  .superRefine(checkContent)
  .superRefine((body, ctx) => {
    const given = ADDRESSEES.filter((field) => body[field] !== undefined);
    if (given.length === 1) return;
    const message = 'Give exactly one of contact_id, phone and group_id.';
    ctx.addIssue({
      code: 'custom',
      path: [given[1] ?? 'contact_id'],
      message,
      params: { rule: 'exactly_one', allowed: ADDRESSEES },
    });
  });

export type NewMessage = z.output<typeof newMessageBody>;
export type AddressedMessage = z.output<typeof addressedMessageBody>;
