import { Temporal } from 'temporal-polyfill';
import { z } from 'zod';

/** A string of `min` to `max` characters, counted as Unicode code points (design decisions §0), once it is `read`. */
export const text = (min: number, max: number, read = z.string()) =>
  read
    .superRefine((value, ctx) => {
      // A code point takes one or two code units, so most strings need not be counted.
      const fits = value.length <= max && value.length >= 2 * min;
      const length = fits || value.length > 2 * max ? value.length : [...value].length;
      // PostgreSQL keeps neither; a body's are refused before, a file's are not.
      if (value.includes('\0') || !value.isWellFormed())
        report(ctx, 'format', 'Must not contain NUL or half a character.');
      if (length < min) report(ctx, 'min_length', atLeast(min), min);
      if (length > max) report(ctx, 'max_length', `Must be at most ${max} characters.`, max);
    })
    .meta({ minLength: min, maxLength: max });

/** The id of a record, given in a body or a filter. Whether there is such a record is another question. */
export const recordId = text(1, 100);

/** What is answered for a record that is gone. */
export const deletedView = z.strictObject({ id: z.string(), deleted: z.literal(true) });

/** Anything but blanks and invisible characters, such as a zero-width space, Hangul's filler or an empty braille cell. */
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text would show as nothing. */
export const isBlank = (value: string): boolean => !SEEN.test(value);

/** A name that WhatsApp tells, up to `max` characters; "" if it would show as nothing. */
export function nameToShow(told: string, max: number): string {
  const name = [...told.trim()].slice(0, max).join('');
  return isBlank(name) ? '' : name;
}

const UNSHOWABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const LONGEST_FILE_NAME = 200;

/**
 * What a file is called, at most its last 200 characters. Such names are shown to people and used in headers: no line
 * breaks, and no characters that change the direction of text, under which `exe` can stand for `fdp`.
 */
export const fileNameToShow = (given: string): string =>
  [...given.toWellFormed().replaceAll(UNSHOWABLE, '').trim()].slice(-LONGEST_FILE_NAME).join('');

/** Words that people will read, of 1 to `max` characters: blanks alone would show as nothing. */
export const words = (max: number, read = z.string()) =>
  text(1, max, read).superRefine((value, ctx) => {
    if (value !== '' && isBlank(value)) report(ctx, 'min_length', 'Must not be blank.', 1);
  });

/** What people, teams, pipelines and workspaces are called, without blanks around it. */
export const nameUpTo = (max: number) => words(max, z.string().trim());

/**
 * An object whose keys are the caller's. Its schema never sees the key `__proto__`, which would be dropped without a
 * word: it is refused here, by its name.
 */
export const freeKeys = <S extends z.ZodType>(schema: S) =>
  z.preprocess((value, ctx) => {
    if (typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__'))
      ctx.addIssue({
        code: 'custom',
        path: ['__proto__'],
        message: 'There can be no key of this name.',
        params: { rule: 'format' },
      });
    return value;
  }, schema);

/** Texts of a fixed format; anything else is reported with the rule `format`. */
export const shaped = (pattern: RegExp, message: string) =>
  z
    .string()
    .refine((value) => pattern.test(value), { message, params: { rule: 'format' } })
    .meta({ pattern: pattern.source });

/** `09:00`. */
export const localTime = shaped(
  /^(?:[01]\d|2[0-3]):[0-5]\d$/,
  'Must be a time of day, as 09:00.',
).meta({ example: '09:00' });

/** PostgreSQL knows no year 0 and no offset of 16 hours or more; ISO 8601 writes both, and no clock shows them. */
const BEYOND_CLOCKS = /^0000|[+-](?:1[6-9]|2\d):/;

/** A date and time with an offset or Z. */
export const dateTime = () =>
  z.iso.datetime({ offset: true }).superRefine((value, ctx) => {
    if (BEYOND_CLOCKS.test(value))
      report(ctx, 'format', 'Must be a valid date and time, as 2026-12-31T09:00:00Z.');
  });

/** No offset; and PostgreSQL does not know these zones of an old Unix. */
const NAMES_A_ZONE = /^(?!SystemV\/)[A-Za-z]/;

/**
 * An IANA name, in its own letters: any case is understood here, but not by every library that reads it. An offset such
 * as `-03:00` is none: it knows nothing of clock changes.
 */
export const timeZone = () =>
  text(
    1,
    60,
    z.string().overwrite((value) => zoneNamed(value) ?? value),
  ).superRefine((value, ctx) => {
    if (zoneNamed(value) === null)
      report(ctx, 'format', 'Must be an IANA time zone, as America/Sao_Paulo.');
  });

/** As the schedules read it: `Intl` also takes abbreviations such as CST, which name several zones. Null for none. */
function zoneNamed(value: string): string | null {
  try {
    return NAMES_A_ZONE.test(value) ? Temporal.Now.zonedDateTimeISO(value).timeZoneId : null;
  } catch {
    return null;
  }
}

/** A BCP 47 tag. */
export const language = () =>
  text(2, 35).superRefine((value, ctx) => {
    if (!isLanguage(value)) report(ctx, 'format', 'Must be a BCP 47 language tag, as pt-BR.');
  });

function isLanguage(value: string): boolean {
  try {
    return Intl.getCanonicalLocales(value).length === 1;
  } catch {
    return false;
  }
}

/**
 * What people wrote, in an answer: as the schema reads it, which adds what is younger than the record, or else as it is
 * stored. Rules of writing become stricter, and a record from before must still be seen, and be turned off.
 */
export const asStored = <S extends z.ZodType>(schema: S): z.ZodType<z.output<S>, z.input<S>> =>
  schema.catch(({ value }) => value as z.output<S>);

const atLeast = (min: number): string =>
  min === 1 ? 'Must not be empty.' : `Must be at least ${min} characters.`;

function report(ctx: z.core.$RefinementCtx, rule: string, message: string, limit?: number): void {
  ctx.addIssue({ code: 'custom', message, params: { rule, limit } });
}
