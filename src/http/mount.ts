import type Koa from 'koa';
import { AppError } from '../errors.ts';
import type { FrameState } from './frame.ts';

/** An area beside the API, inside the same frame. It answers in Koa's way and reads its body itself. */
export interface Mount {
  /**
   * `/healthz`, or with names for single segments, `/f/:id`, or with everything below it, `/console/*`.
   * Compared as it was sent: no decoding, no trailing slash, no case folding.
   */
  readonly path: string;
  /** Others are answered 405; HEAD goes with GET. Absent: the handler decides. */
  readonly methods?: readonly string[];
  /** Let in also while the service has more requests than it can serve: probes, and what others cannot repeat. */
  readonly always?: boolean;
  readonly handle: Koa.Middleware<FrameState>;
  /** What people see here when something is thrown; without it they see the API's JSON. */
  readonly errorPage?: ErrorPage;
}

/** A page in place of an error body. The status is the error's own. */
export type ErrorPage = (error: AppError, seen: ErrorSeen) => HtmlPage;

interface ErrorSeen {
  readonly requestId: string;
  /** The raw `Accept-Language`, or "". */
  readonly languages: string;
}

/** A page and what it may load. */
export interface HtmlPage {
  readonly html: string;
  /** The page's own policy: the frame's allows nothing at all. */
  readonly csp: string;
}

export interface MountMatch {
  readonly mount: Mount;
  /** What the names in the path stand for, and `*` for everything below. */
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the mount of a path. An exact path wins over one with names, which wins over a whole area. */
export function mountTable(mounts: readonly Mount[]): (path: string) => MountMatch | null {
  const exact = new Map(mounts.map((mount) => [mount.path, mount]));
  if (exact.size < mounts.length) throw new TypeError('A mount exists twice.');
  const patterns = mounts
    .filter(({ path }) => /[:*]/.test(path))
    .toSorted((a, b) => Number(a.path.endsWith('*')) - Number(b.path.endsWith('*')))
    .map((mount) => ({ mount, pattern: patternOf(mount.path) }));
  return (path) => {
    const mount = exact.get(path);
    if (mount && !/[:*]/.test(path)) return { mount, params: {} };
    for (const { mount: candidate, pattern } of patterns) {
      const found = pattern.exec(path);
      if (found) return { mount: candidate, params: { ...found.groups } };
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

/** Throws 405 with the methods that are possible. */
export function requireMethod({ methods }: Mount, method: string): void {
  if (!methods || methods.includes(method) || (method === 'HEAD' && methods.includes('GET')))
    return;
  throw new AppError('method_not_allowed', `${method} is not possible here.`, { allowed: methods });
}
