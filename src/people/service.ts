import type { Role } from '../access/roles.ts';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { first } from '../db/sql.ts';
import { nameUpTo } from '../http/fields.ts';
import { newId } from '../ids.ts';
import type { MemberStatus } from '../members/rules.ts';

/** The form in which e-mail addresses of people are compared, here and in the database. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

interface NewPerson {
  readonly email: string;
  readonly name: string;
  /** Used only if the person has no password yet. */
  readonly passwordHash: string | null;
}

interface Person {
  readonly id: string;
  /** Whether the password given is now theirs. False for somebody who has one. */
  readonly hasIt: boolean;
}

/** The person with this e-mail address; creates the person if there is none. */
export async function personOf(
  { sql, now }: Context,
  { email, name, passwordHash }: NewPerson,
): Promise<Person> {
  const row = await first<{ id: string }>(sql, 'select wms.person_of($1, $2, $3, $4, $5) as id', [
    newId('usr'),
    normalEmail(email),
    name,
    passwordHash,
    now,
  ]);
  const id = row?.id ?? '';
  const kept = await first<{ hasIt: boolean }>(sql, 'select wms.has_password($1, $2) as "hasIt"', [
    id,
    passwordHash,
  ]);
  return { id, hasIt: kept?.hasIt ?? false };
}

const ownName = nameUpTo(120);

/** What a person's own pages call them; each workspace has its own name of its member. False for an unsuitable one. */
export async function renamePerson(
  { database }: { readonly database: Pick<Database, 'system'> },
  userId: string,
  input: string,
): Promise<boolean> {
  const name = ownName.safeParse(input);
  if (!name.success) return false;
  await database.system.query('update people set name = $2 where id = $1', [userId, name.data]);
  return true;
}

/** A workspace that a person belongs to. */
export interface Membership {
  readonly organizationId: string;
  readonly organizationName: string;
  /** `mem_…`: the person's member record in that workspace. */
  readonly memberId: string;
  readonly role: Role;
  /** Only `active` members may enter. */
  readonly status: MemberStatus;
}

/** All workspaces of a person, by name, whatever their role there. */
export async function membershipsOf(
  { system }: Pick<Database, 'system'>,
  userId: string,
): Promise<Membership[]> {
  const { rows } = await system.query<Membership>({
    name: 'memberships-of',
    text: `select m.organization_id as "organizationId", w.name as "organizationName", m.id as "memberId", m.role, m.status
      from members m join workspaces w on w.organization_id = m.organization_id
      where m.user_id = $1 order by lower(w.name), m.organization_id`,
    values: [userId],
  });
  return rows;
}
