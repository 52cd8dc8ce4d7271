import type { AuditValue } from '../audit/rules.ts';
import type { Context, InWorkspace, Seeing } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Consent } from './consent.ts';
import type { Custom } from './fields.ts';
import { contactNotFound } from './missing.ts';

/** What a workspace has recorded about a person. */
export interface Profile {
  readonly name: string;
  readonly email: string | null;
  readonly owner_id: string | null;
  readonly tags: readonly string[];
  readonly custom: Custom;
  readonly birth_date: string | null;
  readonly birth_year_known: boolean;
  readonly language: string | null;
  readonly time_zone: string | null;
  readonly notes: string;
}

/** A contact without its identities and its message marks. */
export interface Person extends Profile {
  readonly id: string;
  readonly phone: string | null;
  readonly phone_key: string | null;
  readonly blocked: boolean;
  readonly opted_out: boolean;
  readonly opted_out_at: Date | null;
  readonly opt_out_source: string | null;
  readonly opt_out_message_id: string | null;
  readonly consent: Consent | null;
}

/** Locks contacts for a change, in the order of ids. `key` also keeps new rows from referring to them. */
export const lockPeople = (
  { sql, organizationId }: InWorkspace,
  ids: readonly string[],
  strength: 'no key' | 'key',
): Promise<Person[]> =>
  sql.rows(
    `select id, name, phone, phone_key, email, owner_id, tags, custom, birth_date, birth_year_known, language,
       time_zone, notes, blocked, opted_out, opted_out_at, opt_out_source, opt_out_message_id, consent
     from contacts where organization_id = $1 and id = any($2::text[])
     order by id for ${strength === 'key' ? 'update' : 'no key update'}`,
    [organizationId, ids],
  );

/**
 * Locks the contacts that `find` finds, and looks again where one of them was merged or deleted meanwhile: whatever is
 * written about a contact that is gone is written nowhere.
 */
export async function lockFound(
  ctx: InWorkspace,
  find: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  for (let attempt = 1; attempt <= LOOKS; attempt += 1) {
    const ids = await find();
    const locked = await lockPeople(ctx, ids, 'no key');
    if (locked.length === ids.length) return ids;
  }
  throw new AppError('conflict', 'The contact was changed at the same moment.');
}

const LOOKS = 5;

/** One contact, locked until the transaction ends, as `lockPeople` does it. Throws 404. */
export async function lockPerson(
  ctx: Seeing,
  id: string,
  strength: 'no key' | 'key' = 'no key',
): Promise<Person> {
  const [person] = await lockPeople(ctx, [id], strength);
  if (!person) throw await contactNotFound(ctx, id);
  return person;
}

/** The fields that the audit log shows, custom fields one by one. */
export const auditable = (person: Omit<Person, 'phone_key'>): Record<string, AuditValue> => ({
  name: person.name,
  phone: person.phone,
  ...auditableProfile(person),
  blocked: person.blocked,
  opted_out: person.opted_out,
});

/** The auditable fields of a profile. */
export const auditableProfile = (profile: Profile): Record<string, AuditValue> => ({
  name: profile.name,
  email: profile.email,
  owner_id: profile.owner_id,
  tags: profile.tags,
  ...Object.fromEntries(
    Object.entries(profile.custom).map(([key, value]) => [`custom.${key}`, value]),
  ),
  birth_date: profile.birth_date,
  birth_year_known: profile.birth_year_known,
  language: profile.language,
  time_zone: profile.time_zone,
  notes: profile.notes,
});

/** Writes everything except the phone, the opt-out and the consent. */
export const writePerson = (tx: Context, person: Person): Promise<unknown> =>
  tx.sql.rows(
    `update contacts set name = $3, email = $4, owner_id = $5, tags = $6, custom = $7, birth_date = $8,
       birth_year_known = $9, language = $10, time_zone = $11, notes = $12, blocked = $13, updated_at = $14
     where organization_id = $1 and id = $2`,
    [
      tx.organizationId,
      person.id,
      person.name,
      person.email,
      person.owner_id,
      person.tags,
      JSON.stringify(person.custom),
      person.birth_date,
      person.birth_year_known,
      person.language,
      person.time_zone,
      person.notes,
      person.blocked,
      tx.now,
    ],
  );
