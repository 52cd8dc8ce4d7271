import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestInfo } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { readJson } from './body/body.ts';
import { missingFile, readForm } from './body/multipart.ts';
import { authenticate, type Caller, type Credentials, enter } from './callers/authenticate.ts';
import { idempotencyKey } from './idempotency.ts';
import {
  type Asked,
  answerRead,
  answerSent,
  type OfKind,
  type PerformingParts,
  requireRight,
  type Sent,
} from './performing.ts';
import { parseQuery } from './query.ts';
import { needsBody } from './route.ts';
import type { Match } from './table.ts';

export interface DoorDeps extends PerformingParts, Omit<Credentials, 'database'> {}

/** One request, before anything about it is verified. */
export interface Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly path: string;
  /** The part after the question mark. */
  readonly search: string;
  readonly request: RequestInfo;
}

/**
 * Answers a call of the API. The order of refusals is fixed (decision 150): 401, 429, address and method, then scope, what
 * cannot be read, shape, id, and finally the rules of the service.
 *
 * @param find throws 404, 405 or 501; called after the credential is checked
 */
export async function callApi(
  deps: DoorDeps,
  exchange: Exchange,
  find: () => Match,
): Promise<Answer> {
  const { req, res, method, path, search, request } = exchange;
  const asked = { request, method, path };
  const coming = { req, res, ip: request.ip };
  if (method === 'GET' || method === 'HEAD')
    return enter(deps, coming, (caller, sql) => {
      const { route, ...ids } = find();
      if (route.kind === 'write') throw new TypeError('A GET never changes anything.');
      requireRight(route, caller.actor);
      return answerRead(deps, route, { ...asked, caller, ids, query: parseQuery(search) }, sql);
    });
  // The connection is returned before the body is read, because a slow sender must not hold one.
  const caller = await authenticate(deps, coming);
  const { route, ...ids } = find();
  if (route.kind !== 'write') throw new TypeError('Only writes have methods of their own.');
  const { discard, query, ...sent } = await readSent(route, caller, exchange).catch(
    (error: unknown) => {
      // Nothing of it is stored for a repetition, so that the right to call at all may be asked first.
      requireRight(route, caller.actor);
      throw error;
    },
  );
  try {
    return await answerSent(deps, { route, asked: { ...asked, caller, ids, query }, sent });
  } finally {
    await discard();
  }
}

/** What a mutating call brings: the query, an object, the file of a form, and the key. */
interface Received extends Sent, Pick<Asked, 'query'> {
  discard(): Promise<void>;
}

async function readSent(
  route: OfKind<'write'>,
  { actor, organizationId }: Caller,
  { req, search }: Exchange,
): Promise<Received> {
  const query = parseQuery(search);
  const key = idempotencyKey(req.headers['idempotency-key']);
  if (route.file) {
    // Earlier than elsewhere: a file takes one of few places while it arrives.
    requireRight(route, actor);
    const sender = { credentialId: actor.credentialId, organizationId };
    const { fields, file, discard } = await readForm(req, route.file.maxBytes, sender);
    if (!file) throw missingFile();
    return { query, key, body: fields, file, discard };
  }
  const body = await readJson(req);
  if (!body && needsBody(route))
    throw new AppError('bad_request', 'Send a JSON object as the body.');
  return { query, key, body, file: null, discard: async () => {} };
}
