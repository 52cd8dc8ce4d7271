import { type Change, changesBetween } from '../../audit/rules.ts';
import type { Draft } from '../drafts.ts';
import type { Custom } from '../fields.ts';
import { auditableProfile } from '../person.ts';
import { distinctTags, looksYearless } from '../rules.ts';

/**
 * Applies a row of an import to a known contact: its values are taken, what it leaves out stays, tags are added. The
 * phone keeps its spelling, because it matched and WhatsApp's own spelling is never overwritten.
 */
export const mergeInto = (person: Draft, row: Draft): Draft => ({
  ...person,
  name: row.name || person.name,
  email: sameAddress(row.email, person.email) ? person.email : (row.email ?? person.email),
  tags: distinctTags([...person.tags, ...row.tags]),
  custom: { ...person.custom, ...ofTheirKind(person.custom, row.custom) },
  ...birthOf(person, row),
  language: row.language ?? person.language,
  time_zone: row.time_zone ?? person.time_zone,
  notes: row.notes || person.notes,
});

/** The cells of a file are texts. One that spells a number stays a number where one is, so that conditions go on finding it. */
const ofTheirKind = (before: Custom, row: Custom): Custom =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, likeIt(before[key], value)]));

function likeIt(before: Custom[string] | undefined, value: Custom[string]): Custom[string] {
  if (typeof value !== 'string') return value;
  const number = Number(value);
  const isSame = Math.abs(number) <= Number.MAX_SAFE_INTEGER && value === String(number);
  if (typeof before === 'number' && isSame) return number;
  if (typeof before === 'boolean' && ['true', 'false'].includes(value)) return value === 'true';
  return value;
}

function birthOf(person: Draft, row: Draft): Pick<Draft, 'birth_date' | 'birth_year_known'> {
  const { birth_date, birth_year_known } = row.birth_date === null ? person : row;
  const stays = birth_date !== null && looksYearless(birth_date) && !person.birth_year_known;
  return { birth_date, birth_year_known: birth_year_known && !stays };
}

const sameAddress = (one: string | null, other: string | null): boolean =>
  one?.toLowerCase() === other?.toLowerCase();

/** What the audit log says of a draft that was merged into: the fields that differ. */
export const changesOf = (before: Draft, after: Draft): Change[] =>
  changesBetween(auditableProfile(before), auditableProfile(after));
