const MAX_LENGTH = 2_000;

/**
 * Printable ASCII without the backslash, which browsers read as a slash; everything else is percent-encoded in a URL.
 */
const SAFE = /^\/[!-[\]-~]*$/;

/** The path to continue to if it is one of ours, otherwise `otherwise`. It never leads to another host. */
export function ownPath(next: string, otherwise: string): string {
  if (next.length > MAX_LENGTH || !SAFE.test(next) || next.startsWith('//')) return otherwise;
  const parsed = URL.parse(next, 'http://here.invalid');
  return parsed?.origin === 'http://here.invalid' && !parsed.pathname.startsWith('//')
    ? next
    : otherwise;
}
