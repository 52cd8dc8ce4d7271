import { audit } from '../audit/service.ts';
import type { Context, RequestInfo } from '../context.ts';
import { first } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { HOUR_MS } from '../durations.ts';
import { invalidState, notFound } from '../errors.ts';
import { memberToChange } from '../members/managing.ts';
import { changing, logPerson, type PeopleParts } from './changing.ts';
import { hashPassword } from './passwords.ts';
import { normalEmail } from './service.ts';
import { endSessionsOf, newToken, tokenHash } from './sessions.ts';
import { setPassword } from './signing-in.ts';

const VALID_MS = HOUR_MS;

interface ResetParts extends PeopleParts {
  readonly baseUrl: string;
}

export interface ResetLink {
  readonly email: string;
  /** Can be used once, within an hour. */
  readonly url: string;
}

/** A new link for the person with this address; null if there is none. Earlier links stay valid. */
export const resetLink = (parts: ResetParts, address: string): Promise<ResetLink | null> =>
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
    return { email: person.email, url: `${parts.baseUrl}/reset-password/${token}` };
  });

/**
 * A new link for a member who cannot sign in, to be handed to them; the log of the workspace tells of it. Their password
 * and sessions end when it is used, and not before. Throws 404, and 409 `invalid_state` for who is not active.
 */
export async function memberResetLink(
  ctx: Context,
  parts: ResetParts,
  memberId: string,
): Promise<string> {
  const email = await transact(ctx, async (tx) => {
    const member = await memberToChange(tx, memberId);
    if (member.status !== 'active') throw invalidState(member.status, ['active']);
    const target = { type: 'member', id: member.id, name: member.name };
    await audit(tx, { action: 'member.password_link_made', target });
    return member.email;
  });
  const link = await resetLink(parts, email);
  if (!link) throw notFound('person');
  return link.url;
}

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
    // Before the link, as everybody has the two who changes the password or the address, which ends the links.
    await tx.sql.rows(
      'select from people where id = (select user_id from password_resets where token_hash = $1) for no key update',
      [tokenHash(token)],
    );
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
