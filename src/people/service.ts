import type { Role } from '../access/roles.ts';
import type { Context } from '../context.ts';
import type { Database } from '../db/database.ts';
import { first } from '../db/sql.ts';
import { newId } from '../ids.ts';
import type { MemberStatus } from '../members/rules.ts';

/** Every e-mail address of a person is compared like this, here and in the database. */
export const normalEmail = (email: string): string => email.trim().toLowerCase();

interface NewPerson {
  readonly email: string;
  readonly name: string;
  /** Kept when the person has none. */
  readonly passwordHash: string | null;
}

/** The id of the person with this e-mail address, who is made when nobody has it. */
export async function personOf(
  { sql, now }: Context,
  { email, name, passwordHash }: NewPerson,
): Promise<string> {
  const row = await first<{ id: string }>(sql, 'select wms.person_of($1, $2, $3, $4, $5) as id', [
    newId('usr'),
    normalEmail(email),
    name,
    passwordHash,
    now,
  ]);
  return row?.id ?? '';
}

/** A workspace that a person belongs to. */
export interface Membership {
  readonly organizationId: string;
  readonly organizationName: string;
  /** `mem_…`: the person in that workspace. */
  readonly memberId: string;
  readonly role: Role;
  /** Only `active` ones may come in. */
  readonly status: MemberStatus;
}

/** Every workspace of a person, by name, whatever they may do there. */
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
