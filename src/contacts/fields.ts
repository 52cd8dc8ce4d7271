import { z } from 'zod';
import { freeKeys, language, text, timeZone, words } from '../http/fields.ts';
import { parsePhone, UNREADABLE_PHONE } from './identity/phones.ts';
import {
  CUSTOM_KEY,
  EMAIL,
  LONGEST_EMAIL,
  MAX_CUSTOM,
  MAX_NOTES,
  MAX_TAGS,
  tagOf,
} from './rules.ts';

const refuse = (ctx: z.core.$RefinementCtx, rule: string, message: string, limit?: number): void =>
  ctx.addIssue({ code: 'custom', message, params: { rule, limit } });

/** `""` stands for no phone (specification, PATCH). */
export const phone = text(0, 40).superRefine((value, ctx) => {
  if (value !== '' && !parsePhone(value)) refuse(ctx, 'format', UNREADABLE_PHONE.message);
});

export const email = z.email({ pattern: EMAIL }).max(LONGEST_EMAIL);

const KEY = new RegExp(`^${CUSTOM_KEY}$`);
const customValue = z
  .union([text(0, 2000), z.number(), z.boolean(), z.null(), z.array(text(0, 200)).max(50)])
  .superRefine((value, ctx) => {
    // Larger numbers lose digits in JSON: a long id would be stored as another one.
    if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER)
      refuse(ctx, 'range', 'Write a number of more than 15 digits as a text.');
  });
export type Custom = Record<string, z.output<typeof customValue>>;

const customFields = z.record(z.string(), customValue).superRefine((value, ctx) => {
  const keys = Object.keys(value);
  if (keys.length > MAX_CUSTOM)
    refuse(ctx, 'max_items', `Must have at most ${MAX_CUSTOM} keys.`, MAX_CUSTOM);
  for (const key of keys.filter((name) => !KEY.test(name))) {
    const message = 'A key has 1 to 40 of a-z, 0-9 and _.';
    ctx.addIssue({ code: 'custom', path: [key], message, params: { rule: 'format' } });
  }
});

const custom = freeKeys(customFields);

/** Checking that it lies between 1900 and today is up to the service, which knows the time. */
const birthDate = z.iso.date();

export const tag = words(60, z.string().overwrite(tagOf));

/** What is known of a contact beside who it is, each field by the same rule wherever it is given. */
export const contactDetails = {
  tags: z.array(tag).max(MAX_TAGS).optional(),
  custom: custom.optional(),
  birth_date: birthDate.nullable().optional(),
  birth_year_known: z.boolean().optional(),
  language: language().nullable().optional(),
  time_zone: timeZone().nullable().optional(),
  notes: text(0, MAX_NOTES).optional(),
};

/** Everything that is known of a contact: `contactDetails`, and who it is. */
export const contactFields = {
  name: words(200).optional(),
  phone: phone.nullable().optional(),
  email: email.nullable().optional(),
  ...contactDetails,
};
