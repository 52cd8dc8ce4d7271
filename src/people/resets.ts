import type { RequestInfo } from '../context.ts';
import { first } from '../db/sql.ts';
import { HOUR_MS } from '../durations.ts';
import { notFound } from '../errors.ts';
import { changing, logPerson, type PeopleParts } from './changing.ts';
import { hashPassword } from './passwords.ts';
import { normalEmail } from './service.ts';
import { endSessionsOf, newToken, tokenHash } from './sessions.ts';
import { setPassword } from './signing-in.ts';

const VALID_MS = HOUR_MS;

export interface ResetLink {
  readonly email: string;
  /** Can be used once, within an hour. */
  readonly token: string;
}

/** A new link for the person with this address; null if there is none. Earlier links stay valid. */
export const resetLink = (parts: PeopleParts, address: string): Promise<ResetLink | null> =>
  changing(parts, async ({ sql, now }) => {
    // Held, so that whoever has another address by the end finds all links of this one ended.
    const person = await first<{ id: string; email: string }>(
      sql,
      'select id, email from people where email = $1 for key share',
      [normalEmail(address)],
    );
    if (!person) return null;
    const token = newToken();
    await sql.rows(
      'insert into password_resets (token_hash, user_id, expires_at) values ($1, $2, $3)',
      [tokenHash(token), person.id, new Date(now.getTime() + VALID_MS)],
    );
    return { email: person.email, token };
  });

/** The address a link was mailed to. Throws the same 404 for a link that does not exist, was used or has expired. */
export async function resetOwner({ database, clock }: PeopleParts, token: string): Promise<string> {
  const { rows } = await database.system.query<{ email: string }>(
    `select p.email from password_resets r join people p on p.id = r.user_id
     where r.token_hash = $1 and r.expires_at > $2`,
    [tokenHash(token), clock.now()],
  );
  const [row] = rows;
  if (!row) throw notFound('link');
  return row.email;
}

interface Reset {
  readonly token: string;
  readonly password: string;
  readonly request: RequestInfo;
}

/**
 * Sets a new password through a mailed link, once, and ends all sessions of the person. Throws 404 for an invalid
 * link, and 422 `validation` for an unsuitable password, which leaves the link valid.
 */
export async function resetPassword(
  parts: PeopleParts,
  { token, password, request }: Reset,
): Promise<void> {
  const passwordHash = await hashPassword(password);
  await changing(parts, async (tx) => {
    const [row] = await tx.sql.rows<{ user_id: string }>(
      'delete from password_resets where token_hash = $1 and expires_at > $2 returning user_id',
      [tokenHash(token), tx.now],
    );
    if (!row) throw notFound('link');
    const { user_id: userId } = row;
    await setPassword(tx, userId, passwordHash);
    await endSessionsOf(tx, userId);
    await logPerson(tx, { userId, action: 'member.password_reset', request });
  });
}
