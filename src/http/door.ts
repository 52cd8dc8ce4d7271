import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { requirePermission, requireScope } from '../access/actor.ts';
import type { ReadContext, RequestInfo } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import { type ContextParts, createContext } from '../db/contexts.ts';
import { inWorkspace } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { type Answer, errorAnswer, fileAnswer } from './answer.ts';
import { type Caller, type Credentials, enter } from './authenticate.ts';
import { readJson } from './body.ts';
import { toAppError } from './failures.ts';
import { guard } from './guard.ts';
import { fingerprintOf, idempotencyKey, type KeyedCall, once } from './idempotency.ts';
import { readForm } from './multipart.ts';
import { pageRequest, requireLimit, sealCursor } from './pagination.ts';
import { parseQuery, type RawQuery, refuseUnknown } from './query.ts';
import { replies, reply } from './reply.ts';
import { type Download, Existing, needsBody, type Route } from './route.ts';
import type { Upload } from './spool.ts';
import type { Match } from './table.ts';

export interface DoorDeps extends ContextParts, Omit<Credentials, 'database'> {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly baseUrl: string;
}

/** One request, before anything about it is believed. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** What follows the question mark. */
  readonly search: string;
  readonly request: RequestInfo;
}

/** What the names in the path stand for. */
type Ids = Pick<Match, 'id' | 'partId'>;

type OfKind<K extends Route['kind']> = Extract<Route, { kind: K }>;

interface Asked {
  readonly exchange: Exchange;
  readonly caller: Caller;
  readonly ids: Ids;
  readonly query: RawQuery;
}

/**
 * Answers a call of the API. The order of refusals is fixed (architecture, settled details 1): 401,
 * 429, then what cannot be read, then scope, shape, id, and at last the rules of the service.
 *
 * @param find throws 404, 405 or 501; it is asked after the credential.
 */
export async function callApi(
  deps: DoorDeps,
  exchange: Exchange,
  find: () => Match,
): Promise<Answer> {
  if (exchange.method === 'GET' || exchange.method === 'HEAD')
    return enter(deps, exchange, (caller, sql) => {
      const { route, ...ids } = find();
      if (route.kind === 'write') throw new TypeError('A GET never changes anything.');
      return answerRead(
        deps,
        route,
        { exchange, caller, ids, query: parseQuery(exchange.search) },
        sql,
      );
    });
  // The connection goes back before the body is read: a slow sender must not hold one.
  const caller = await enter(deps, exchange, (known) => known);
  const { route, ...ids } = find();
  if (route.kind !== 'write') throw new TypeError('Only writes have methods of their own.');
  return answerWrite(deps, route, { exchange, caller, ids, query: parseQuery(exchange.search) });
}

async function answerRead(
  deps: DoorDeps,
  route: OfKind<'read'> | OfKind<'list'>,
  asked: Asked,
  sql: Sql,
): Promise<Answer> {
  const { organizationId, actor } = asked.caller;
  const ctx: ReadContext = {
    organizationId,
    actor,
    request: asked.exchange.request,
    now: deps.clock.now(),
    sql,
  };
  if (route.kind === 'read' && route.file) return file(deps, route, asked, ctx);
  const view =
    route.kind === 'list' ? await page(deps, route, asked, ctx) : await record(route, asked, ctx);
  return { status: 200, body: JSON.stringify(view) };
}

/** The bytes follow when this connection has gone back: a slow reader must not hold it. */
async function file(
  { database }: DoorDeps,
  route: OfKind<'read'>,
  asked: Asked,
  ctx: ReadContext,
): Promise<Answer> {
  const found = (await handled(route, asked, ctx)) as Download;
  const bytes = found.pieces((work) => inWorkspace(database, ctx.organizationId, work));
  return fileAnswer(found, bytes);
}

async function record(route: OfKind<'read'>, asked: Asked, ctx: ReadContext): Promise<unknown> {
  return reply(route.reply, await handled(route, asked, ctx));
}

async function handled(route: OfKind<'read'>, asked: Asked, ctx: ReadContext): Promise<unknown> {
  requireScope(ctx.actor, route.scope);
  const query = filters(route, asked.query, () => false);
  requireIds(route, asked.ids);
  if (route.permission) requirePermission(ctx.actor, route.permission);
  return route.handle(ctx, { ...asked.ids, query });
}

const isPaging = (name: string): boolean => name === 'limit' || name === 'cursor';

async function page(
  { keyring }: DoorDeps,
  route: OfKind<'list'>,
  { caller, exchange, ids, query }: Asked,
  ctx: ReadContext,
): Promise<unknown> {
  const place = { organizationId: caller.organizationId, path: exchange.path, query };
  const asked = pageRequest(keyring, place);
  requireScope(ctx.actor, route.scope);
  requireLimit(asked);
  const input = { id: ids.id, query: filters(route, query, isPaging), page: asked };
  requireIds(route, ids);
  if (route.permission) requirePermission(ctx.actor, route.permission);
  const { data, next } = await route.handle(ctx, input);
  return {
    data: replies(route.item, data),
    next_cursor: next && sealCursor(keyring, next, place),
  };
}

function filters(
  { query: schema }: { readonly query?: z.ZodObject | undefined },
  query: RawQuery,
  beside: (name: string) => boolean,
): Record<string, never> {
  const known = schema?.shape ?? {};
  refuseUnknown(query, (name) => Object.hasOwn(known, name) || beside(name));
  if (!schema) return {};
  const { limit: _limit, cursor: _cursor, ...own } = query;
  return guard(schema, own) as Record<string, never>;
}

function requireIds(route: Pick<Route, 'id' | 'part'>, { id, partId }: Ids): void {
  if (route.id && !isId(route.id, id)) throw notFound('record');
  if (route.part && !isId(route.part, partId)) throw notFound('record');
}

async function answerWrite(deps: DoorDeps, route: OfKind<'write'>, asked: Asked): Promise<Answer> {
  const sent = await readSent(route, asked);
  try {
    return await answerSent(deps, route, asked, sent);
  } finally {
    await sent.discard();
  }
}

/** What a request brought: an object, and the file of a form. */
interface Sent {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly file: Upload | null;
  discard(): Promise<void>;
}

async function readSent(route: OfKind<'write'>, { exchange, caller }: Asked): Promise<Sent> {
  const { req } = exchange;
  if (route.file) {
    const { fields, file, discard } = await readForm(
      req,
      route.file.maxBytes,
      caller.actor.credentialId,
    );
    return { body: fields, file, discard };
  }
  const body = await readJson(req);
  if (!body && needsBody(route))
    throw new AppError('bad_request', 'Send a JSON object as the body.');
  return { body, file: null, discard: async () => {} };
}

async function answerSent(
  deps: DoorDeps,
  route: OfKind<'write'>,
  { exchange, caller, ids, query }: Asked,
  { body, file }: Sent,
): Promise<Answer> {
  const key = idempotencyKey(exchange.req.headers['idempotency-key']);
  const { request } = exchange;
  const ctx = createContext(deps, { ...caller, now: deps.clock.now(), request });
  const run = async (tx: typeof ctx): Promise<Answer> => {
    refuseApiKey(route, caller.actor);
    requireScope(caller.actor, route.scope);
    refuseUnknown(query, () => false);
    const fields = guard(route.body ?? NO_FIELDS, body ?? {}) as Record<string, never>;
    const input = { ...ids, body: fields, ...(file ? { file } : {}) };
    requireIds(route, ids);
    if (route.permission) requirePermission(caller.actor, route.permission);
    const done = await route.handle(tx, input);
    const [status, record] = done instanceof Existing ? [200, done.record] : [route.status, done];
    return { status, body: JSON.stringify(reply(route.reply, record)) };
  };
  if (key === null) return transact(ctx, run);
  const call: KeyedCall = {
    key,
    credentialId: caller.actor.credentialId,
    requestId: request.id,
    fingerprint: fingerprintOf([exchange.method, exchange.path, query, body, ...fileParts(file)]),
    secret: route.secret ?? false,
  };
  const answerFor = (error: unknown): Answer =>
    errorAnswer(withNewKeyHint(toAppError(error)), request.id, deps.baseUrl);
  return transact(ctx, (tx) => once(tx, call, deps.keyring, run, answerFor));
}

const fileParts = (file: Upload | null): unknown[] =>
  file ? [file.name, file.type, file.sha256.toString('hex')] : [];

const NO_FIELDS = z.strictObject({});

function refuseApiKey({ apiKeys = true }: OfKind<'write'>, { type }: Caller['actor']): void {
  if (apiKeys || type === 'member') return;
  throw new AppError('oauth_required', 'Only an app that acts for a person may do this, by OAuth.');
}

/** The first answer is repeated for a day: whoever corrects the request must know. */
function withNewKeyHint(error: AppError): AppError {
  if (error.status !== 422) return error;
  const message = `${error.message} Send the corrected request with a new Idempotency-Key.`;
  return new AppError(error.code, message, error.details);
}
