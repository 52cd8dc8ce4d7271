import { createHash, randomBytes } from 'node:crypto';
import type { RequestInfo } from '../context.ts';
import { first } from '../db/sql.ts';
import { DAY_MS } from '../durations.ts';
import { newId } from '../ids.ts';
import { changing, logPerson, type PeopleParts, type PeopleTx } from './changing.ts';

/** A person signed in in one browser. */
export interface Session {
  /** `ses_…` */
  readonly id: string;
  /** `usr_…` */
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  /** When the person last proved who they are. */
  readonly signedInAt: Date;
  /** Sent along with every form on a page, and compared by `checkForm`. */
  readonly csrf: string;
}

/** The greatest age of a sign-in that may add a passkey, or rotate an app's secret (specification, Limits). */
export const RECENT_SIGN_IN_MS = 10 * 60_000;

/** Someone who finds an open browser must not be able to make a way in of their own. */
export const signedInRecently = ({ signedInAt }: Pick<Session, 'signedInAt'>, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() <= RECENT_SIGN_IN_MS;

export const SESSION_MS = 30 * DAY_MS;
export const IDLE_MS = 14 * DAY_MS;
/** The last use is recorded at most this often. */
const SEEN_EVERY_MS = 60_000;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The stored form of a token; SHA-256 is enough for 256 random bits. */
export const tokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();
/** 256 random bits in base64url. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/** Derived from the cookie's token, which no other site can read, so nothing more is stored. */
const csrfOf = (token: string): string =>
  createHash('sha256').update(`csrf:${token}`).digest('base64url');

interface NewSession {
  readonly userId: string;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Opens a session, always with a new token. */
export async function openSession(
  { sql, now }: PeopleTx,
  { userId, ip, userAgent }: NewSession,
): Promise<string> {
  const token = newToken();
  await sql.rows(
    `insert into person_sessions (id, token_hash, user_id, signed_in_at, last_seen_at, expires_at, ip, user_agent)
     values ($1, $2, $3, $4, $4, $5, $6, $7)`,
    [
      newId('ses'),
      tokenHash(token),
      userId,
      now,
      new Date(now.getTime() + SESSION_MS),
      ip,
      userAgent,
    ],
    'session-open',
  );
  return token;
}

interface SessionRow {
  readonly id: string;
  readonly user_id: string;
  readonly email: string;
  readonly name: string;
  readonly signed_in_at: Date;
  readonly last_seen_at: Date;
}

/** The session of a cookie; null if it is unknown, has ended, or has not been used for 14 days. */
export async function findSession(
  { database, clock }: PeopleParts,
  token: string,
): Promise<Session | null> {
  if (!TOKEN.test(token)) return null;
  const now = clock.now();
  const { rows } = await database.system.query<SessionRow>({
    name: 'session-of',
    text: `select s.id, s.user_id, p.email, p.name, s.signed_in_at, s.last_seen_at
      from person_sessions s join people p on p.id = s.user_id
      where s.token_hash = $1 and s.expires_at > $2 and s.last_seen_at > $3`,
    values: [tokenHash(token), now, new Date(now.getTime() - IDLE_MS)],
  });
  const [row] = rows;
  if (!row) return null;
  if (row.last_seen_at.getTime() < now.getTime() - SEEN_EVERY_MS)
    await database.system.query({
      name: 'session-seen',
      text: 'update person_sessions set last_seen_at = $2 where id = $1',
      values: [row.id, now],
    });
  const { id, user_id: userId, email, name, signed_in_at: signedInAt } = row;
  return { id, userId, email, name, signedInAt, csrf: csrfOf(token) };
}

/** Ends the session of a cookie, and says whose it was; null if there is none. */
export async function endSession({ sql }: PeopleTx, token: string): Promise<string | null> {
  const ended = await first<{ user_id: string }>(
    sql,
    'delete from person_sessions where token_hash = $1 returning user_id',
    [tokenHash(token)],
  );
  return ended?.user_id ?? null;
}

/** Ends every session of a person. */
export async function endSessionsOf({ sql }: PeopleTx, userId: string): Promise<void> {
  await sql.rows('delete from person_sessions where user_id = $1', [userId]);
}

/** A session as its person sees it. */
export interface SessionSeen {
  readonly id: string;
  readonly signedInAt: Date;
  readonly lastSeenAt: Date;
  readonly ip: string | null;
  readonly userAgent: string | null;
}

/** Where a person is signed in, most recently used first. */
export async function listSessions(
  { database, clock }: PeopleParts,
  userId: string,
): Promise<SessionSeen[]> {
  const now = clock.now();
  const { rows } = await database.system.query<SessionSeen>(
    `select id, signed_in_at as "signedInAt", last_seen_at as "lastSeenAt", ip, user_agent as "userAgent"
     from person_sessions where user_id = $1 and expires_at > $2 and last_seen_at > $3
     order by last_seen_at desc, id desc limit 100`,
    [userId, now, new Date(now.getTime() - IDLE_MS)],
  );
  return rows;
}

/** Ends one other session of a person, or all others. Sessions of other people are left alone. */
export const endOthers = (
  parts: PeopleParts,
  { id, userId }: Session,
  { only, request }: { readonly only: string | null; readonly request: RequestInfo },
): Promise<void> =>
  changing(parts, async (tx) => {
    const ended = await tx.sql.rows(
      `delete from person_sessions where user_id = $1 and id <> $2 and ($3::text is null or id = $3) returning id`,
      [userId, id, only],
    );
    if (ended.length === 0) return;
    const changes = [{ field: 'ended', from: null, to: ended.length }];
    await logPerson(tx, { userId, action: 'member.sessions_ended', changes, request });
  });
