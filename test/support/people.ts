import { randomBytes } from 'node:crypto';
import type { Context } from '../../src/context.ts';
import type { Clock } from '../../src/db/clock.ts';
import { asSystem, type Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { addMember, type NewMember } from '../../src/members/service.ts';
import { openSession } from '../../src/people/sessions.ts';

const CLOCK: Clock = { now: () => new Date(), skewMs: 0 };

export const PASSWORD = 'correct horse';

export interface TestPerson {
  readonly email: string;
  readonly memberId: string;
  readonly userId: string;
}

/** Somebody of the workspace who signs in with `PASSWORD`. */
export async function aPerson(ctx: Context, wishes: Partial<NewMember> = {}): Promise<TestPerson> {
  const { id, email, userId } = await addMember(ctx, {
    email: `${randomBytes(6).toString('hex')}@example.com`,
    name: 'Bia Ramos',
    role: 'admin',
    password: PASSWORD,
    ...wishes,
  });
  // Whoever is in another workspace already was invited here, and accepted.
  await transact(ctx, ({ sql, organizationId }) =>
    sql.rows(
      "update members set status = 'active', joined_at = now() where organization_id = $1 and id = $2 and status = 'invited'",
      [organizationId, id],
    ),
  );
  return { email, memberId: id, userId };
}

/** The cookie of a browser in which the person of this member is signed in. */
export async function signedInCookie(
  ctx: Context,
  database: Pick<Database, 'system'>,
  memberId: string,
  clock = CLOCK,
): Promise<string> {
  const userId = await transact(ctx, async ({ sql, organizationId }) => {
    const rows = await sql.rows<{ user_id: string }>(
      'select user_id from members where organization_id = $1 and id = $2',
      [organizationId, memberId],
    );
    return rows[0]?.user_id ?? '';
  });
  const person = { userId, ip: null, userAgent: null };
  const token = await asSystem(database, (sql) => openSession({ sql, now: clock.now() }, person));
  return `wms_session=${token}`;
}
