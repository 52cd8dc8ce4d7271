import type Koa from 'koa';
import type { Framed, FrameState } from '../http/framed.ts';
import { requestOf } from '../http/serving/frame.ts';
import { changing, goOffline, logPerson, type PeopleParts } from './changing.ts';
import { ownPath } from './own-paths.ts';
import { endSession, findSession, openSession, SESSION_MS, type Session } from './sessions.ts';
import { isStillTheirs, type KnownPassword } from './signing-in.ts';

export interface SessionParts extends PeopleParts {
  readonly baseUrl: string;
}

const secure = (baseUrl: string): boolean => baseUrl.startsWith('https://');

/** The prefix keeps other hosts of the domain from setting a cookie with this name. */
const cookieName = (baseUrl: string): string =>
  secure(baseUrl) ? '__Host-wms_session' : 'wms_session';

const tokenOf = ({ baseUrl }: SessionParts, ctx: Framed): string =>
  ctx.cookies.get(cookieName(baseUrl), { signed: false }) ?? '';

function setCookie({ baseUrl }: SessionParts, ctx: Framed, token: string, seconds: number): void {
  const flags = `Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure(baseUrl) ? '; Secure' : ''}`;
  ctx.append('Set-Cookie', `${cookieName(baseUrl)}=${token}; ${flags}`);
}

/** The session of whoever views the page; null if no one is signed in. */
export const sessionOf = (parts: SessionParts, ctx: Framed): Promise<Session | null> =>
  findSession(parts, tokenOf(parts, ctx));

type Proven =
  | { readonly userId: string; readonly by: 'passkey' | 'invitation' }
  | (KnownPassword & { readonly by: 'password' });

/**
 * Signs a person in with a new session, and ends the one that this browser had before.
 *
 * @returns whether it did: not by a password that they have replaced meanwhile
 */
export async function beginSession(
  parts: SessionParts,
  ctx: Framed,
  proven: Proven,
): Promise<boolean> {
  const { userId, by } = proven;
  const before = tokenOf(parts, ctx);
  const request = requestOf(ctx);
  const token = await changing(parts, async (tx) => {
    if (by === 'password' && !(await isStillTheirs(tx, proven))) return null;
    if (before) await endSession(tx, before);
    const opened = await openSession(tx, { userId, ...request });
    const changes = [{ field: 'by', from: null, to: by }];
    await logPerson(tx, { userId, action: 'member.signed_in', changes, request });
    return opened;
  });
  if (token !== null) setSessionCookie(parts, ctx, token);
  return token !== null;
}

/** Sets the cookie of a session in this browser. */
export const setSessionCookie = (parts: SessionParts, ctx: Framed, token: string): void =>
  setCookie(parts, ctx, token, SESSION_MS / 1_000);

/** Signs this browser's person out. */
export async function signOut(parts: SessionParts, ctx: Framed): Promise<void> {
  const token = tokenOf(parts, ctx);
  if (token)
    await changing(parts, async (tx) => {
      const userId = await endSession(tx, token);
      if (userId) await goOffline(tx, userId);
    });
  setCookie(parts, ctx, '', 0);
}

/** The address of the sign-in page that leads on to `next`. */
export const signInPath = (next: string): string => `/sign-in?next=${encodeURIComponent(next)}`;

/**
 * Wraps a page for signed-in people: anyone else signs in first and then returns to it.
 *
 * @param leave answers what refreshes a part of the page; takes the whole page to the sign-in by default
 */
export function signedIn(
  parts: SessionParts,
  handle: (ctx: Framed, session: Session) => Promise<void> | void,
  leave = redirectPage,
): Koa.Middleware<FrameState> {
  return async (ctx) => {
    const session = await sessionOf(parts, ctx);
    if (session) return handle(ctx, session);
    const path = comingBack(ctx);
    if (ctx.get('HX-Request')) leave(ctx, path);
    else seeOther(ctx, path);
  };
}

/**
 * A GET is repeated afterwards. What a form sent is not saved, and the sign-in says so; the console's and those of the
 * e-mail address are on their own page, the others of the account on one. The console's page shows what was sent again.
 */
function comingBack({ method, req }: Framed): string {
  const path = ownPath(req.url ?? '/', '/');
  if (method === 'GET' || method === 'HEAD') return signInPath(path);
  if (path.startsWith('/console/')) return `${signInPath(`${path}#unsent`)}&done=unsent`;
  if (path.startsWith('/account/email')) return `${signInPath(path)}&done=unsent`;
  return path.startsWith('/account/')
    ? `${signInPath('/account')}&done=unsent`
    : signInPath('/console');
}

/** What refreshes a part of a page would follow a 303 into that part; this takes the whole page there. */
export function redirectPage(ctx: Framed, location: string): void {
  ctx.set('HX-Redirect', location);
  ctx.status = 204;
}

/** 303, so that the browser continues with a GET. */
export function seeOther(ctx: Framed, location: string): void {
  ctx.set('Location', location);
  ctx.body = null;
  ctx.status = 303;
}
