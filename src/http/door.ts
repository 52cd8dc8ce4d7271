import type { IncomingMessage, ServerResponse } from 'node:http';
import { requireScope } from '../access/actor.ts';
import type { RequestInfo } from '../context.ts';
import { AppError } from '../errors.ts';
import type { Answer } from './answer.ts';
import { readJson } from './body/body.ts';
import { missingFile, readForm } from './body/multipart.ts';
import { authenticate, type Credentials, enter } from './callers/authenticate.ts';
import { idempotencyKey } from './idempotency.ts';
import {
  type Asked,
  answerRead,
  answerSent,
  type OfKind,
  type PerformingParts,
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
 * Answers a call of the API. The order of refusals is fixed (architecture, settled details 1): 401, 429, then what
 * cannot be read, then scope, shape, id, and finally the rules of the service.
 *
 * @param find throws 404, 405 or 501; called after the credential is checked
 */
export async function callApi(
  deps: DoorDeps,
  exchange: Exchange,
  find: () => Match,
): Promise<Answer> {
  const { req, res, method, path, search, request } = exchange;
  const coming = { req, res, ip: request.ip };
  if (method === 'GET' || method === 'HEAD')
    return enter(deps, coming, (caller, sql) => {
      const { route, ...ids } = find();
      if (route.kind === 'write') throw new TypeError('A GET never changes anything.');
      const asked = { caller, request, method, path, ids, query: parseQuery(search) };
      return answerRead(deps, route, asked, sql);
    });
  // The connection is returned before the body is read, because a slow sender must not hold one.
  const caller = await authenticate(deps, coming);
  const { route, ...ids } = find();
  if (route.kind !== 'write') throw new TypeError('Only writes have methods of their own.');
  const asked = { caller, request, method, path, ids, query: parseQuery(search) };
  return answerWrite(deps, route, asked, req);
}

async function answerWrite(
  deps: DoorDeps,
  route: OfKind<'write'>,
  asked: Asked,
  req: IncomingMessage,
): Promise<Answer> {
  const { discard, ...sent } = await readSent(route, asked, req);
  try {
    const key = idempotencyKey(req.headers['idempotency-key']);
    return await answerSent(deps, { route, asked, sent: { ...sent, key } });
  } finally {
    await discard();
  }
}

/** The content of a request: an object, and the file of a form. */
interface Received extends Omit<Sent, 'key'> {
  discard(): Promise<void>;
}

async function readSent(
  route: OfKind<'write'>,
  { caller: { actor, organizationId } }: Asked,
  req: IncomingMessage,
): Promise<Received> {
  if (route.file) {
    // Earlier than elsewhere: a file takes one of few places while it arrives.
    requireScope(actor, route.scope);
    const sender = { credentialId: actor.credentialId, organizationId };
    const { fields, file, discard } = await readForm(req, route.file.maxBytes, sender);
    if (!file) throw missingFile();
    return { body: fields, file, discard };
  }
  const body = await readJson(req);
  if (!body && needsBody(route))
    throw new AppError('bad_request', 'Send a JSON object as the body.');
  return { body, file: null, discard: async () => {} };
}
