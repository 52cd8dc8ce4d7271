import type { Route } from '../../src/http/route.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';
import { createRoutes } from '../../src/routes.ts';
import { testKeyring } from './factories/numbers.ts';

/** The service's own list: a route that is added is tested without anybody remembering to. */
export const everyRoute: readonly Route[] = createRoutes({
  keyring: testKeyring,
  trustedOrigins: [],
  baseUrl: 'http://api.test',
});

export const nameOf = (route: Route): string => `${route.method} ${route.path}`;

/** The address of a route with this id in its path, and that of a part of it: one nobody ever had, unless given. */
export const addressOf = (
  route: Route,
  id: string,
  partId = route.part ? newId(route.part) : '',
): string =>
  `/api${documentedPath(route)
    .replace('{id}', id)
    .replace(/\{\w+\}/, partId)}`;

/** The address of a route in a workspace that has these records. */
export const addressIn = (route: Route, ids: Readonly<Partial<Record<IdPrefix, string>>>): string =>
  addressOf(route, (route.id && ids[route.id]) ?? '', (route.part && ids[route.part]) ?? '');

/** The path as the document writes it: `/v1/contacts/{id}`. */
export const documentedPath = ({ path }: { readonly path: string }): string =>
  path.replaceAll(/:(\w+)/g, '{$1}');

/** An id that nobody ever had. */
export const unknownId = (route: Route): string => newId(idPrefix(route));

export function idPrefix(route: Route): IdPrefix {
  if (!route.id) throw new TypeError(`${nameOf(route)} has no id in its path`);
  return route.id;
}

/** A body that the route's own schema takes, from its documented example. */
export const exampleBody = (route: Route): unknown =>
  route.kind === 'write' ? (route.example.request ?? (route.body ? {} : undefined)) : undefined;

/** A body the way the route wants it: as it is, or as the fields of a form with a small file. */
export function sendable(route: Route, body: unknown, file = 'a file'): unknown {
  if (route.kind !== 'write' || !route.file) return body;
  const form = new FormData();
  for (const [name, value] of Object.entries(body ?? {}))
    form.append(name, typeof value === 'string' ? value : JSON.stringify(value));
  form.append('file', new Blob([file]), 'file.txt');
  return form;
}
