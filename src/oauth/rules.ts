/** Whether the service's team looked at an app (specification, OAuth app verification). */
export type Verification = 'unverified' | 'in_review' | 'verified' | 'rejected';

/** Beside its own workspace an unverified app may connect to so many (specification, Limits). */
export const FOREIGN_WORKSPACES = 10;
export const MAX_REDIRECT_URIS = 10;
/** The previous secret goes on working for so long after a rotation (specification, Limits). */
export const SECRET_OVERLAP_MS = 24 * 3_600_000;
/** Rotating a secret needs a sign-in that is no older (specification, Limits). */
export const RECENT_SIGN_IN_MS = 10 * 60_000;
/** After a refusal a review may be asked for again only then (design decisions §25). */
export const REVIEW_AGAIN_MS = 7 * 24 * 3_600_000;

/** An access token lives for so long, in seconds (specification, Flow). */
export const ACCESS_TOKEN_S = 600;

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether it leads to a program on the person's own machine: any port will do there (RFC 8252 §7.3). */
export const isLoopback = (uri: string): boolean => LOOPBACK.has(URL.parse(uri)?.hostname ?? '');

/** What is wrong with a redirect URI, as the end of a sentence; null when nothing is (specification, Registering an app). */
export function redirectUriProblem(uri: string): string | null {
  const url = URL.parse(uri);
  if (!url || /[\s\\*\p{Cc}]/u.test(uri)) return 'is not a valid absolute URI';
  if (uri.includes('#')) return 'must not have a fragment';
  if (url.username || url.password || /^[a-z]+:\/\/[^/?]*@/i.test(uri))
    return 'must not have credentials';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && LOOPBACK.has(url.hostname)) return null;
  return 'must be https, or http on localhost, 127.0.0.1 or [::1]';
}

/** The hosts that redirects go to: a verified app that changes them is unverified again. */
const redirectHosts = (uris: readonly string[]): string[] =>
  [...new Set(uris.map((uri) => URL.parse(uri)?.hostname ?? ''))].toSorted();

export const sameHosts = (a: readonly string[], b: readonly string[]): boolean =>
  redirectHosts(a).join(' ') === redirectHosts(b).join(' ');

/** A name that people read on the consent page: nothing that hides, reorders or breaks lines. */
export const isPrintable = (name: string): boolean => /^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u.test(name);

/** What a request says about the sign-in behind it. */
interface WantedSignIn {
  readonly promptLogin: boolean;
  readonly maxAge: number | null;
  readonly beganAt: Date;
}

/** A sign-in since the request began is as new as any app can wish, however short the time is that it gives. */
export function mustSignInAgain(
  { promptLogin, maxAge, beganAt }: WantedSignIn,
  signedInAt: Date,
  now: Date,
): boolean {
  if (signedInAt >= beganAt) return false;
  return promptLogin || (maxAge !== null && +now - +signedInAt > maxAge * 1_000);
}
