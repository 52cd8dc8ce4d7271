import { z } from 'zod';
import { requirePermission, requireScope } from '../access/actor.ts';
import type { Context, ReadContext, RequestInfo } from '../context.ts';
import type { Keyring } from '../crypto/keyring.ts';
import type { Clock } from '../db/clock.ts';
import { type ContextParts, createContext } from '../db/contexts.ts';
import { inWorkspace } from '../db/database.ts';
import type { Sql } from '../db/sql.ts';
import { transact } from '../db/transact.ts';
import { AppError, notFound } from '../errors.ts';
import { isId } from '../ids.ts';
import { type Answer, errorAnswer, fileAnswer } from './answer.ts';
import type { Upload } from './body/spool.ts';
import type { Caller } from './callers/authenticate.ts';
import { toAppError } from './failures.ts';
import { placeDownload } from './file-places.ts';
import { guard } from './guard.ts';
import { fingerprintOf, type KeyedCall, once } from './idempotency.ts';
import { pageRequest, requireLimit, sealCursor } from './pagination.ts';
import { type RawQuery, refuseUnknown } from './query.ts';
import { replies, reply } from './reply.ts';
import { type Download, Existing, type Route } from './route.ts';
import type { Match } from './table.ts';

/** What an operation needs, however it was called. */
export interface PerformingParts extends ContextParts {
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly baseUrl: string;
}

/** A call of a route: the caller and the request, not yet checked against the route. */
export interface Asked {
  readonly caller: Caller;
  readonly request: RequestInfo;
  readonly method: string;
  /** The path as requested, with ids; cursors and idempotency keys are bound to it. */
  readonly path: string;
  /** The values of the names in the path. */
  readonly ids: Pick<Match, 'id' | 'partId'>;
  readonly query: RawQuery;
}

/** The content of a mutating call. */
export interface Sent {
  readonly body: Readonly<Record<string, unknown>> | null;
  readonly file: Upload | null;
  /** The `Idempotency-Key`. */
  readonly key: string | null;
  /** With a key: refusals after which the same call may be made again. */
  readonly passes?: KeyedCall['passes'];
}

/** Routes of one kind: `read`, `list` or `write`. */
export type OfKind<K extends Route['kind']> = Extract<Route, { kind: K }>;

/**
 * Checks scope, shape, id and permission, then calls the service; the same for the API and for agent tools.
 *
 * @param sql bound to the caller's workspace
 */
export async function answerRead(
  parts: PerformingParts,
  route: OfKind<'read'> | OfKind<'list'>,
  asked: Asked,
  sql: Sql,
): Promise<Answer> {
  requireRight(route, asked.caller.actor);
  const ctx: ReadContext = {
    ...asked.caller,
    request: asked.request,
    now: parts.clock.now(),
    sql,
  };
  if (route.kind === 'read' && route.file) return file(parts, route, asked, ctx);
  const view =
    route.kind === 'list' ? await page(parts, route, asked, ctx) : await record(route, asked, ctx);
  return { status: 200, body: JSON.stringify(view) };
}

/** The bytes are read after this connection was returned, because a slow reader must not hold it. */
async function file(
  { database }: PerformingParts,
  route: OfKind<'read'>,
  asked: Asked,
  ctx: ReadContext,
): Promise<Answer> {
  const found = (await handled(route, asked, ctx)) as Download;
  const { actor, organizationId } = asked.caller;
  placeDownload({ credentialId: actor.credentialId, organizationId }, asked.request);
  const bytes = found.pieces((work) => inWorkspace(database, ctx.organizationId, work));
  return fileAnswer(found, bytes);
}

async function record(route: OfKind<'read'>, asked: Asked, ctx: ReadContext): Promise<unknown> {
  return reply(route.reply, await handled(route, asked, ctx));
}

async function handled(route: OfKind<'read'>, asked: Asked, ctx: ReadContext): Promise<unknown> {
  const query = filters(route, asked.query, []);
  requireIds(route, asked.ids);
  if (route.permission) requirePermission(ctx.actor, route.permission);
  return route.handle(ctx, { ...asked.ids, query });
}

const PAGING = ['limit', 'cursor'];

async function page(
  { keyring }: PerformingParts,
  route: OfKind<'list'>,
  { caller, path, ids, query }: Asked,
  ctx: ReadContext,
): Promise<unknown> {
  const place = { organizationId: caller.organizationId, path, query };
  const asked = pageRequest(keyring, place);
  requireLimit(asked);
  const input = { ...ids, query: filters(route, query, PAGING), page: asked };
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
  beside: readonly string[],
): Record<string, never> {
  refuseUnknown(query, [...Object.keys(schema?.shape ?? {}), ...beside]);
  if (!schema) return {};
  const { limit: _limit, cursor: _cursor, ...own } = query;
  return guard(schema, own) as Record<string, never>;
}

function requireIds(
  route: Pick<Route, 'id' | 'part'>,
  { id, partId }: Pick<Match, 'id' | 'partId'>,
): void {
  if (route.id && !isId(route.id, id)) throw notFound('record');
  if (route.part && !isId(route.part, partId)) throw notFound('record');
}

/** The context of a mutating call, whose transaction has not been opened yet. */
export const contextOf = (parts: PerformingParts, { caller, request }: Asked): Context =>
  createContext(parts, { ...caller, now: parts.clock.now(), request });

interface Change {
  readonly route: OfKind<'write'>;
  readonly asked: Asked;
  readonly sent: Sent;
}

/**
 * A mutating call, in one transaction.
 *
 * @param ctx its transaction, if there is one already
 */
export async function answerSent(
  parts: PerformingParts,
  { route, asked, sent: { body, file, key, passes } }: Change,
  ctx: Context = contextOf(parts, asked),
): Promise<Answer> {
  const { caller, request, method, path, ids, query } = asked;
  const run = async (tx: Context): Promise<Answer> => {
    requireRight(route, caller.actor);
    refuseUnknown(query, []);
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
    fingerprint: fingerprintOf([method, path, query, body, ...fileParts(file)]),
    secret: route.secret ?? false,
    passes,
  };
  const answerFor = (error: unknown): Answer =>
    errorAnswer(withNewKeyHint(toAppError(error)), request.id, parts.baseUrl);
  const mayRepeat = (): void => {
    requireScope(caller.actor, route.scope);
    if (route.permission) requirePermission(caller.actor, route.permission);
  };
  const { keyring } = parts;
  return transact(ctx, (tx) => once(tx, call, { keyring, mayRepeat, run, answerFor }));
}

const fileParts = (file: Upload | null): unknown[] =>
  file ? [file.name, file.type, file.sha256.toString('hex')] : [];

const NO_FIELDS = z.strictObject({});

/** Refuses whoever may not call the route at all: 403 `oauth_required`, 403 `forbidden`. */
export function requireRight(route: Route, actor: Caller['actor']): void {
  if (route.kind === 'write' && route.apiKeys === false && actor.type !== 'member')
    throw new AppError(
      'oauth_required',
      'Only an app that acts for a person may do this, by OAuth.',
    );
  requireScope(actor, route.scope);
}

/** A refusal that is stored is repeated for a day, whatever was corrected meanwhile, in the request or elsewhere. */
function withNewKeyHint(error: AppError): AppError {
  const hint =
    error.status === 422
      ? 'Send the corrected request with a new Idempotency-Key.'
      : 'This answer is repeated for 24 hours: to try again, use a new Idempotency-Key.';
  return new AppError(error.code, `${error.message} ${hint}`, error.details);
}
