import type { Actor } from '../access/actor.ts';
import type { Context } from '../context.ts';
import { validation } from '../errors.ts';
import { newId } from '../ids.ts';
import { todayOf } from '../workspaces/service.ts';
import type { Custom } from './fields.ts';
import { type Phone, parsePhone } from './identity/phones.ts';
import type { Profile } from './person.ts';
import {
  type CreatedVia,
  distinctTags,
  isBirthDate,
  type Origin,
  storedBirthDate,
  type WHATSAPP_STATUSES,
} from './rules.ts';
import type { ImportFields, NewContact } from './schema.ts';

/** What writing contacts needs from a context; `sql` is inside a transaction bound to the workspace. */
export type ContactWriting = Pick<
  Context,
  'sql' | 'organizationId' | 'actor' | 'request' | 'now' | 'recorded' | 'beforeCommit' | 'simulated'
>;

/** A contact about to be written. The caller does not set times, flags and windows. */
export interface Draft extends Profile {
  readonly id: string;
  readonly phone: Phone | null;
  readonly whatsapp_status: (typeof WHATSAPP_STATUSES)[number];
}

/** How contacts created by this call came to the workspace (design decisions §12). */
export interface Provenance {
  readonly origin: Origin;
  readonly createdVia: CreatedVia;
  /** When they wrote to us, if that is how they came. */
  readonly wroteAt?: Date;
}

/**
 * How contacts that `actor` brings come in: the API, also through an app, counts as an import; a person in the console and
 * an automation count as the team (design decisions §12).
 */
export function provenanceOf(actor: Actor): Provenance {
  if (actor.type === 'automation') return { origin: 'team', createdVia: 'automation' };
  return actor.type === 'member' && actor.app === null
    ? { origin: 'team', createdVia: 'member' }
    : { origin: 'import', createdVia: 'api' };
}

/** A new contact of which only the id is known. */
export const blankDraft = (): Draft => ({
  id: newId('con'),
  name: '',
  phone: null,
  email: null,
  owner_id: null,
  tags: [],
  custom: {},
  birth_date: null,
  birth_year_known: true,
  language: null,
  time_zone: null,
  notes: '',
  whatsapp_status: 'unknown',
});

/**
 * Throws 422 for a birthday that cannot be.
 *
 * @param today in the workspace, `YYYY-MM-DD`
 */
export function draftOf(input: NewContact | ImportFields, today: string): Draft {
  const blank = blankDraft();
  return {
    ...blank,
    name: input.name ?? blank.name,
    phone: input.phone ? parsePhone(input.phone) : null,
    email: input.email ?? null,
    owner_id: 'owner_id' in input ? (input.owner_id ?? null) : null,
    tags: distinctTags(input.tags ?? []),
    custom: withoutNulls(input.custom ?? blank.custom),
    ...birth(input, today),
    language: input.language ?? null,
    time_zone: input.time_zone ?? null,
    notes: input.notes ?? blank.notes,
  };
}

/** Null removes a key, also where there is none yet: stored, it could not be removed. */
export const withoutNulls = (custom: Custom): Custom =>
  Object.fromEntries(Object.entries(custom).filter(([, value]) => value !== null));

/** Today in the workspace, for `draftOf` and `birth`; "" where nothing depends on it. */
export const todayFor = async (
  ctx: Parameters<typeof todayOf>[0],
  { birth_date }: { readonly birth_date?: string | null | undefined },
): Promise<string> => (birth_date ? todayOf(ctx) : '');

/** A birthday as it is kept; throws 422 for one that cannot be. */
export function birth(
  input: Pick<NewContact, 'birth_date' | 'birth_year_known'>,
  today: string,
): Pick<Draft, 'birth_date' | 'birth_year_known'> {
  if (!input.birth_date) return { birth_date: null, birth_year_known: true };
  const birth_year_known = input.birth_year_known ?? true;
  const birth_date = storedBirthDate(input.birth_date, birth_year_known);
  if (isBirthDate(birth_date, today)) {
    return { birth_date, birth_year_known };
  }
  const message = 'Must be a day from 1900 until today.';
  throw validation([{ path: 'birth_date', rule: 'range', message }]);
}
