import { AppError, notFound } from '../errors.ts';
import type { Route } from './route.ts';

const API = '/api';
const ID = /^[A-Za-z0-9_-]{1,100}$/;
const KNOWN_METHODS = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
]);

export interface Match {
  readonly route: Route;
  /** Of a path with `{id}`, in its raw spelling; ids need no percent-encoding. Else empty. */
  readonly id: string;
}

type Methods = Map<string, Route>;

/**
 * Finds routes by method and path. Paths are compared as they were sent: no decoding, no trailing
 * slash, no case folding, so that one resource has one spelling. Throws 404, 405 and 501.
 */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Match {
  const byPath = new Map<string, Methods>();
  for (const route of routes) {
    const methods = byPath.get(API + route.path) ?? new Map<string, Route>();
    if (methods.has(route.method))
      throw new TypeError(`${route.method} ${route.path} exists twice`);
    byPath.set(API + route.path, methods.set(route.method, route));
  }
  return (method, path) => {
    const { methods, id } = findPath(byPath, path);
    const route = methods.get(method === 'HEAD' ? 'GET' : method);
    if (route) return { route, id };
    if (!KNOWN_METHODS.has(method))
      throw new AppError('not_implemented', `The method ${method} is not known here.`);
    const allowed = [...methods.keys()].flatMap((name) =>
      name === 'GET' ? ['GET', 'HEAD'] : [name],
    );
    const message = `${method} is not possible here.`;
    throw new AppError('method_not_allowed', message, { allowed });
  };
}

function findPath(byPath: Map<string, Methods>, path: string): { methods: Methods; id: string } {
  const exact = path.includes(':') ? undefined : byPath.get(path);
  if (exact) return { methods: exact, id: '' };
  // /api/v1/<noun>/<id>[/<verb>]: the id is always the fifth part.
  const parts = path.split('/');
  const id = parts[4] ?? '';
  const methods = byPath.get(parts.with(Math.min(4, parts.length - 1), ':id').join('/'));
  if (!methods || !ID.test(id)) throw notFound('address');
  return { methods, id };
}
