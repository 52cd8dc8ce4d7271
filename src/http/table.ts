import Router from '@koa/router';
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
  'QUERY',
]);

export interface Match {
  readonly route: Route;
  /** The `{id}` in the path, as it was sent; ids need no percent-encoding. Otherwise empty. */
  readonly id: string;
  /** The second name in the path, a part of the first record. Otherwise empty. */
  readonly partId: string;
}

/**
 * Finds routes by method and path. Paths are compared as they were sent: no decoding, no trailing slash, no case
 * folding, so that each resource has one spelling. Throws 404, 405 and 501.
 */
export function routeTable(routes: readonly Route[]): (method: string, path: string) => Match {
  const router = new Router({ sensitive: true, strict: true });
  const byName = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  if (byName.size < routes.length) throw new TypeError('A route exists twice.');
  for (const [name, route] of byName)
    router.register(API + route.path, [route.method], nothing, { name });
  return (method, path) => {
    const { path: layers, pathAndMethod } = router.match(path, method);
    const layer = pathAndMethod[0];
    const route = byName.get(layer?.name ?? '');
    if (layer && route) return { route, ...idsIn(layer.captures(path)) };
    idsIn(layers[0]?.captures(path) ?? []);
    throw refusal(method, layers);
  };
}

/** The door handles what is found here, so Koa's own chain is not used. */
const nothing = (): void => {};

function idsIn(captures: readonly string[]): Pick<Match, 'id' | 'partId'> {
  const [id = '', partId = ''] = captures;
  for (const one of [id, partId]) if (one !== '' && !ID.test(one)) throw notFound('record');
  return { id, partId };
}

function refusal(method: string, layers: readonly { methods: string[] }[]): AppError {
  if (layers.length === 0) return notFound('address');
  if (!KNOWN_METHODS.has(method))
    return new AppError('not_implemented', `The method ${method} is not known here.`);
  const allowed = [...new Set(layers.flatMap((layer) => layer.methods))].toSorted();
  return new AppError('method_not_allowed', `${method} is not possible here.`, { allowed });
}
