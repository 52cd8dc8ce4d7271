const MAX_LENGTH = 2_000;

/** Printable ASCII without a backslash, which browsers take for a slash: a URL writes everything else in percent. */
const SAFE = /^\/[!-[\]-~]*$/;

/** The path to go on to, if it is one of ours; else `otherwise`. Nothing leads to another host. */
export function ownPath(next: string, otherwise: string): string {
  if (next.length > MAX_LENGTH || !SAFE.test(next) || next.startsWith('//')) return otherwise;
  const parsed = URL.parse(next, 'http://here.invalid');
  return parsed?.origin === 'http://here.invalid' && !parsed.pathname.startsWith('//')
    ? next
    : otherwise;
}
