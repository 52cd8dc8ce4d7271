import { DAY_MS } from '../durations.ts';

/** Whether the service's team has verified an app (specification, OAuth app verification). */
export type Verification = 'unverified' | 'in_review' | 'verified' | 'rejected';

/** How many other workspaces an unverified app may connect to (specification, Limits). */
export const FOREIGN_WORKSPACES = 10;
export const MAX_REDIRECT_URIS = 10;
/** How long the previous secret works after a rotation (specification, Limits). */
export const SECRET_OVERLAP_MS = DAY_MS;
/** How long after a refusal a new review may be requested (design decisions §25). */
export const REVIEW_AGAIN_MS = 7 * DAY_MS;

/** The lifetime of an access token, in seconds (specification, Flow). */
export const ACCESS_TOKEN_S = 600;

/** What the specification allows, as it is written: of `https:host` and `http://127.1` a parser makes addresses too. */
const ALLOWED_URI = /^(https:\/\/[^/?]|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d*)?([/?]|$))/i;

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether it leads to a program on the person's own machine, where any port is allowed (RFC 8252 §7.3). */
export const isLoopback = (uri: string): boolean => LOOPBACK.has(URL.parse(uri)?.hostname ?? '');

/**
 * What is wrong with a redirect URI, as the end of a sentence; null if nothing is (specification, Registering an
 * app).
 */
export function redirectUriProblem(uri: string): string | null {
  const url = URL.parse(uri);
  if (!url || /[\s\\*\p{Cc}]/u.test(uri)) return 'is not a valid absolute URI';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username || url.password || /^[a-z]+:\/\/[^/?]*@/i.test(uri))
    return 'must not have credentials';
  if (ALLOWED_URI.test(uri)) return null;
  return 'must be https, or http on localhost, 127.0.0.1 or [::1]';
}

const redirectHosts = (uris: readonly string[]): string[] =>
  uris.map((uri) => URL.parse(uri)?.hostname ?? '');

/** Whether redirects would go to a host to which none went before. A verified app becomes unverified by that. */
export function addsHost(before: readonly string[], after: readonly string[]): boolean {
  const known = redirectHosts(before);
  return redirectHosts(after).some((host) => !known.includes(host));
}

/** The sign-in that a request asks for. */
interface WantedSignIn {
  readonly promptLogin: boolean;
  readonly maxAge: number | null;
  readonly beganAt: Date;
}

/** A sign-in made after the request began satisfies any maximum age, however short. */
export function mustSignInAgain(
  { promptLogin, maxAge, beganAt }: WantedSignIn,
  signedInAt: Date,
  now: Date,
): boolean {
  if (signedInAt >= beganAt) return false;
  return promptLogin || (maxAge !== null && +now - +signedInAt > maxAge * 1_000);
}
