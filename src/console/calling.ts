import type { Context, ReadContext } from '../context.ts';
import { type Asked, answerRead, answerSent, type Sent } from '../http/performing.ts';
import type { Route } from '../http/route.ts';
import type { Calling } from './deps.ts';
import type { Page } from './page.ts';

interface Named {
  readonly id?: string;
  /** The second id in the operation's path. */
  readonly part?: string;
}

type Performed = Pick<Page, 'parts' | 'ctx'>;

/**
 * Calls a reading operation of the API for this person, by its name: the same schema, permission and handler.
 *
 * @param T the operation's `reply`; for a list `{data, next_cursor}`
 */
export async function ask<T>(
  page: Performed,
  operation: string,
  { query = {}, ...named }: Named & { readonly query?: Readonly<Record<string, string>> },
): Promise<T> {
  const route = routeOf(page, operation);
  if (route.kind === 'write') throw new TypeError(`${operation} changes something.`);
  const asked = askedOf(page.ctx, route, named, query);
  const { body } = await answerRead(page.parts, route, asked, page.ctx.sql);
  return JSON.parse(body) as T;
}

/** Calls an operation of the API that changes something for this person, as `ask` does one that reads. */
export async function call<T>(
  page: Omit<Performed, 'ctx'> & Pick<Page<Context>, 'ctx'>,
  operation: string,
  { body = null, file = null, ...named }: Named & Partial<Pick<Sent, 'body' | 'file'>>,
): Promise<T> {
  const route = routeOf(page, operation);
  if (route.kind !== 'write') throw new TypeError(`${operation} changes nothing.`);
  const asked = askedOf(page.ctx, route, named, {});
  const sent = { body, file, key: null };
  const answer = await answerSent(page.parts, { route, asked, sent }, page.ctx);
  return JSON.parse(answer.body) as T;
}

function routeOf({ parts }: { readonly parts: Calling }, operation: string): Route {
  const route = parts.routes.find(({ operationId }) => operationId === operation);
  if (!route) throw new TypeError(`No operation is called ${operation}.`);
  return route;
}

function askedOf(
  ctx: ReadContext & Pick<Page['ctx'], 'actor'>,
  { method, path }: Route,
  { id = '', part = '' }: Named,
  query: Readonly<Record<string, string>>,
): Asked {
  const { organizationId, actor, request } = ctx;
  if (!request) throw new TypeError('A page always belongs to a request.');
  return {
    caller: { organizationId, actor },
    request,
    method,
    path: `/api${path.replace(/:\w+/, id).replace(/:\w+/, part)}`,
    ids: { id, partId: part },
    query,
  };
}
