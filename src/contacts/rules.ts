/** How a person came to the workspace: the report's five values (design decisions §12). */
export const ORIGINS = ['direct', 'form', 'import', 'campaign', 'team'] as const;
export type Origin = (typeof ORIGINS)[number];

/** The finer-grained origin. */
export const CREATED_VIA = [
  'message',
  'form',
  'import',
  'api',
  'campaign',
  'member',
  'automation',
] as const;
export type CreatedVia = (typeof CREATED_VIA)[number];

/** Kinds of identities, looked up in the order wa_user, wa_lid, phone. */
export const IDENTITY_TYPES = ['phone', 'wa_user', 'wa_lid', 'username'] as const;

/** What a contact has at most; `notes` in characters. */
export const MAX_TAGS = 50;
export const MAX_CUSTOM = 100;
export const MAX_NOTES = 5_000;

/** Rows of an import per transaction. */
export const IMPORT_BATCH = 500;

export const IMPORT_STATUSES = ['pending', 'running', 'done', 'cancelled', 'failed'] as const;
export const IMPORT_OUTCOMES = ['created', 'updated', 'unchanged', 'failed'] as const;

/** How far an import has come; `gone` if it no longer exists. */
export interface ImportProgress {
  readonly status: (typeof IMPORT_STATUSES)[number] | 'gone';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
}

/** Whether rows are still to be taken in. */
export const isOpen = (status: ImportProgress['status']): boolean =>
  status === 'pending' || status === 'running';

export const WHATSAPP_STATUSES = ['unknown', 'valid', 'invalid'] as const;

const HOST_LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
/** The addresses that browsers take in a form, but for hosts without a dot. */
export const EMAIL = new RegExp(
  `^[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]+@${HOST_LABEL}(?:\\.${HOST_LABEL})+$`,
);
export const LONGEST_EMAIL = 254;

const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]+/g;
/** Blanks and characters that show as nothing: not those of which flags are made. */
const UNSEEN = String.raw`\s\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff`;
const SEEN = new RegExp(`^[${UNSEEN}]*(.*[^${UNSEEN}])?`, 'su');

/** A tag as it is kept and looked for, on one line: another that looks the same would be another tag. */
export const tagOf = (given: string): string =>
  SEEN.exec(given.normalize('NFC').replace(LINE_BREAKS, ' '))?.[1] ?? '';

/** Equal for the spellings of one tag. */
export const tagKey = (tag: string): string => tagOf(tag).toLowerCase();

/** One spelling of each tag: the first one given wins, regardless of case. */
export function distinctTags(tags: readonly string[]): string[] {
  const bySpelling = new Map<string, string>();
  for (const tag of tags) {
    const key = tagKey(tag);
    if (!bySpelling.has(key)) bySpelling.set(key, tagOf(tag));
  }
  return [...bySpelling.values()];
}

const EARLIEST_BIRTH = '1900-01-01';
/** A leap year, so that it has every possible birthday. */
const UNKNOWN_YEAR = '1904';

/**
 * The key of a custom field, as a part of regular expressions that end behind it. `__proto__`, which objects do not
 * keep as an ordinary key, is none.
 */
export const CUSTOM_KEY = '(?!__proto__$)[a-z0-9_]{1,40}';

/** A custom field of a contact by its name, such as `custom.city`. */
export const CUSTOM_FIELD = new RegExp(`^custom\\.${CUSTOM_KEY}$`);

/** From 1900 to today; `today` is a `YYYY-MM-DD` too, so text order is time order. */
export const isBirthDate = (date: string, today: string): boolean =>
  date >= EARLIEST_BIRTH && date <= today;

/** Whether the date is written as that of a birthday without its year is: sent back, it says no more than before. */
export const looksYearless = (date: string): boolean => date.startsWith(UNKNOWN_YEAR);

/** How a birthday is stored: with its year, or 1904 if the year is unknown. */
export const storedBirthDate = (date: string, yearKnown: boolean): string =>
  yearKnown ? date : UNKNOWN_YEAR + date.slice(4);
