import { z } from 'zod';
import { LONGEST } from '../../conversations/sending/lengths.ts';
import { recordId, text } from '../../http/fields.ts';
import { contactField, duration, next, refuse, stepId, template } from './parts.ts';

const sendMessage = z.strictObject({
  id: stepId,
  type: z.literal('send_message'),
  text: template(1, LONGEST.text),
  next,
});

const sendMedia = z.strictObject({
  id: stepId,
  type: z.literal('send_media'),
  media_id: recordId,
  text: template(0, LONGEST.caption).default('').meta({ description: 'The caption.' }),
  next,
});

const sendTemplate = z.strictObject({
  id: stepId,
  type: z.literal('send_template'),
  name: text(1, 512),
  language: text(2, 20),
  parameters: z.array(template(1, LONGEST.parameter)).max(20).default([]),
  next,
});

const EXPECTED = ['text', 'number', 'email', 'phone', 'date', 'yes_no', 'choice'] as const;

/** A question whose answer is checked; asked again, at most three times in all, until it fits. */
const ask = z
  .strictObject({
    id: stepId,
    type: z.literal('ask'),
    text: template(1, LONGEST.text),
    expects: z.enum(EXPECTED).default('text'),
    options: z.array(text(1, 80)).max(20).default([]),
    retry_text: template(1, LONGEST.text).nullable().default(null),
    tries: z.int().min(1).max(3).default(3),
    timeout: duration,
    save_to: contactField.nullable().default(null),
    next,
    on_invalid: next,
    on_timeout: next,
  })
  .superRefine(({ expects, options }, ctx) => {
    const choice = expects === 'choice';
    if (choice && options.length < 2)
      refuse(ctx, ['options'], { rule: 'min_items', limit: 2 }, 'Give at least two options.');
    if (!choice && options.length > 0)
      refuse(ctx, ['options'], { rule: 'not_applicable' }, 'Only a choice has options.');
    if (new Set(options.map((option) => option.toLowerCase())).size !== options.length)
      refuse(ctx, ['options'], { rule: 'unique' }, 'Name each option once.');
  });

const waitForReply = z.strictObject({
  id: stepId,
  type: z.literal('wait_for_reply'),
  timeout: duration,
  save_to: contactField.nullable().default(null),
  next,
  on_timeout: next,
});

/** Talks until the goal is reached, the turns are used up or a person is needed. */
const aiReply = z.strictObject({
  id: stepId,
  type: z.literal('ai_reply'),
  goal: text(1, 2000),
  max_turns: z.int().min(1).max(20).default(5),
  next,
  on_handover: next,
});

/** Gives the conversation to people and ends the run. */
const handover = z.strictObject({
  id: stepId,
  type: z.literal('handover'),
  team_id: recordId.nullable().default(null),
  member_id: recordId.nullable().default(null),
  note: template(0, 1000).default(''),
});

/** Steps that say something or listen. */
export const talking = [
  sendMessage,
  sendMedia,
  sendTemplate,
  ask,
  waitForReply,
  aiReply,
  handover,
] as const;
