import type Koa from 'koa';
import { AppError } from '../errors.ts';
import type { ErrorTelling } from './error-telling.ts';
import type { FrameState } from './framed.ts';

/** An area beside the API, inside the same frame. It answers through Koa and reads its body itself. */
export interface Mount extends ErrorTelling {
  /**
   * `/healthz`, or with names for single segments, `/f/:id`, or with everything below, `/console/*`. Compared exactly
   * as it was sent: no decoding, no trailing slash, no case folding.
   */
  readonly path: string;
  /** Other methods are answered 405; HEAD goes with GET. If absent, the handler decides. */
  readonly methods?: readonly string[];
  /**
   * Admitted even when the service has more requests than it can serve: probes, and requests that cannot be repeated.
   */
  readonly always?: boolean;
  readonly handle: Koa.Middleware<FrameState>;
}

export interface PathMatch<P> {
  readonly place: P;
  /** The values of the names in the path, and of `*`. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * Finds what is at a path: a mount, or a page of one. An exact path takes precedence over one with names, which takes
 * precedence over a whole area.
 */
export function pathTable<P extends Pick<Mount, 'path'>>(
  places: readonly P[],
): (path: string) => PathMatch<P> | null {
  const exact = new Map(places.map((place) => [place.path, place]));
  if (exact.size < places.length) throw new TypeError('A path exists twice.');
  const patterns = places
    .filter(({ path }) => /[:*]/.test(path))
    .toSorted((a, b) => Number(a.path.endsWith('*')) - Number(b.path.endsWith('*')))
    .map((place) => ({ place, pattern: patternOf(place.path) }));
  return (path) => {
    const place = exact.get(path);
    if (place && !/[:*]/.test(path)) return { place, params: {} };
    for (const { place: candidate, pattern } of patterns) {
      const found = pattern.exec(path);
      if (found) return { place: candidate, params: { ...found.groups } };
    }
    return null;
  };
}

/** Names become groups of one segment; a final `*` becomes the group `rest`, which may be empty. */
function patternOf(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '(?<rest>.*)';
    if (segment.startsWith(':')) return `(?<${segment.slice(1)}>[^/]+)`;
    return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  return new RegExp(`^${segments.join('/')}$`);
}

/** Throws 405 with the allowed methods. */
export function requireMethod({ methods }: Mount, method: string): void {
  if (!methods || methods.includes(method) || (method === 'HEAD' && methods.includes('GET')))
    return;
  throw new AppError('method_not_allowed', `${method} is not possible here.`, { allowed: methods });
}
