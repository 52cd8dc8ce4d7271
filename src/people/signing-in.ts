import type { RequestInfo } from '../context.ts';
import type { Log } from '../log.ts';
import type { Attempts } from './attempts.ts';
import { changing, logPerson, type PeopleParts, type PeopleTx, stayAway } from './changing.ts';
import { hashPassword, requirePassword, verifyPassword } from './passwords.ts';
import { normalEmail } from './service.ts';
import { endSessionsOf, openSession, type Session } from './sessions.ts';

export interface SigningInParts extends PeopleParts {
  readonly attempts: Attempts;
  readonly log: Log;
}

interface Tried {
  readonly email: string;
  readonly password: string;
  readonly request: RequestInfo;
}

/** Whose password was right, and its hash. */
export interface KnownPassword {
  readonly userId: string;
  readonly passwordHash: string;
}

/** E-mail address or password are wrong; or how long to wait. */
export type Refused = { readonly wrong: true } | { readonly waitSeconds: number };

/** Checks a password. Neither the answer nor its timing reveals whether the account exists. */
export async function signIn(
  parts: SigningInParts,
  { email, password, request }: Tried,
): Promise<KnownPassword | Refused> {
  const from = { email, ip: request.ip };
  const wait = await parts.attempts.password(from);
  if (wait) {
    // Not awaited, so that the answer is as quick for accounts that do not exist.
    if (wait.ofAccount) void logLock(parts, email, request);
    return { waitSeconds: wait.seconds };
  }
  const { rows } = await parts.database.system.query<{ id: string; password_hash: string | null }>({
    name: 'password-of',
    text: 'select id, password_hash from people where email = $1',
    values: [normalEmail(email)],
  });
  const [person] = rows;
  const right = await verifyPassword(password, person?.password_hash ?? null);
  if (!person || !right) return { wrong: true };
  await parts.attempts.forgive(from);
  return { userId: person.id, passwordHash: person.password_hash ?? '' };
}

/**
 * Whether that is the person's password still, until the end of the caller's transaction: checking one takes a while, and
 * whoever resets theirs meanwhile must find nobody let in by the former.
 */
export const isStillTheirs = async (
  { sql }: PeopleTx,
  { userId, passwordHash }: KnownPassword,
): Promise<boolean> =>
  (
    await sql.rows(
      'select from people where id = $1 and password_hash = $2 for no key update',
      [userId, passwordHash],
      'password-still',
    )
  ).length > 0;

/**
 * Someone is guessing, or has forgotten their password. Reported once an hour per account, to the workspaces of its
 * person.
 */
async function logLock(parts: SigningInParts, email: string, request: RequestInfo): Promise<void> {
  try {
    if (!(await parts.attempts.firstLock({ email }))) return;
    await changing(parts, async (tx) => {
      const [person] = await tx.sql.rows<{ id: string }>('select id from people where email = $1', [
        normalEmail(email),
      ]);
      if (!person) return;
      const action = 'member.sign_in_locked';
      await logPerson(tx, { userId: person.id, action, request, unproven: true });
    });
  } catch (err) {
    parts.log.warn({ err }, 'a locked sign-in was not written down');
  }
}

interface Change {
  readonly current: string;
  readonly password: string;
  readonly request: RequestInfo;
}

interface Changed {
  /** Of the browser's new session. */
  readonly token: string;
  readonly already?: true;
}

/**
 * Sets a new password for someone who knows the current one. All sessions of the person end, including any stolen
 * copy of this one; the browser gets a new session. Wrong guesses of the current password count like those at
 * sign-in. Throws 422 `validation` for an unsuitable password.
 *
 * @returns `already` for the second request of a double click: a browser shows the answer to that one
 */
export async function changePassword(
  parts: SigningInParts,
  session: Session,
  { current, password, request }: Change,
): Promise<Changed | Refused> {
  requirePassword(password);
  const { email, userId } = session;
  const proven = await signIn(parts, { email, password: current, request });
  if ('waitSeconds' in proven) return proven;
  if (!('userId' in proven)) return afterTheOther(parts, session, { password, request });
  const passwordHash = await hashPassword(password);
  const done = await changing(parts, async (tx) => {
    if (!(await isStillTheirs(tx, proven))) return null;
    await setPassword(tx, userId, passwordHash);
    await endSessionsOf(tx, userId);
    const token = await openSession(tx, { userId, ...request });
    await stayAway(tx, session);
    await logPerson(tx, { userId, action: 'member.password_changed', request });
    return { token };
  });
  return done ?? afterTheOther(parts, session, { password, request });
}

/**
 * Whoever knows what is their password by now may have a session, as at the sign-in. The first request has ended the
 * session of the second; while it lives, the current password was only wrong.
 */
async function afterTheOther(
  parts: SigningInParts,
  session: Session,
  { password, request }: Omit<Change, 'current'>,
): Promise<Changed | Refused> {
  const { id, userId } = session;
  const { rows } = await parts.database.system.query<{ password_hash: string | null }>(
    'select password_hash from people where id = $1 and not exists (select from person_sessions where id = $2)',
    [userId, id],
  );
  const passwordHash = rows[0]?.password_hash ?? null;
  if (passwordHash === null || !(await verifyPassword(password, passwordHash)))
    return { wrong: true };
  return changing(parts, async (tx) => {
    if (!(await isStillTheirs(tx, { userId, passwordHash }))) return { wrong: true as const };
    const token = await openSession(tx, { userId, ...request });
    await stayAway(tx, session);
    const changes = [{ field: 'by', from: null, to: 'password' }];
    await logPerson(tx, { userId, action: 'member.signed_in', changes, request });
    return { token, already: true as const };
  });
}

/** Stores the hash of somebody who has no password yet, as `setPassword` does; returns whether that is so. */
export async function setFirstPassword(
  tx: PeopleTx,
  userId: string,
  passwordHash: string,
): Promise<boolean> {
  const set = await tx.sql.rows(
    'update people set password_hash = $2 where id = $1 and password_hash is null returning id',
    [userId, passwordHash],
  );
  if (set.length === 0) return false;
  await endLinks(tx, userId);
  return true;
}

/** Stores a hash, and invalidates mailed links. */
export async function setPassword(
  tx: PeopleTx,
  userId: string,
  passwordHash: string,
): Promise<void> {
  await tx.sql.rows('update people set password_hash = $2 where id = $1', [userId, passwordHash]);
  await endLinks(tx, userId);
}

/** Those for choosing a password, and those for another address: whoever knew the former one may have asked for them. */
export async function endLinks({ sql }: PeopleTx, userId: string): Promise<void> {
  await sql.rows('delete from password_resets where user_id = $1', [userId]);
  await sql.rows('delete from email_changes where user_id = $1', [userId]);
}
