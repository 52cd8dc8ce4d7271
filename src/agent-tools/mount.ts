import type { IncomingMessage } from 'node:http';
import type { MemberActor } from '../access/actor.ts';
import { TurnRefused } from '../db/connections/turns.ts';
import { AppError } from '../errors.ts';
import { errorAnswer } from '../http/answer.ts';
import { readJson } from '../http/body/body.ts';
import { authenticate, type Caller, type Credentials } from '../http/callers/authenticate.ts';
import type { Framed } from '../http/framed.ts';
import type { Mount } from '../http/mount.ts';
import type { PerformingParts } from '../http/performing.ts';
import type { Route } from '../http/route.ts';
import { requestOf } from '../http/serving/frame.ts';
import type { Log } from '../log.ts';
import { memberActor } from '../members/actors.ts';
import { missingScope } from './calling.ts';
import { createTools, type Tool } from './tools.ts';

const TOOLS_PATH = '/api/mcp';

export interface AgentToolsParts extends PerformingParts {
  /** The API's routes, from which the tools are made. */
  readonly routes: readonly Route[];
  /** Knows only the access tokens issued for this resource. */
  readonly findMember: NonNullable<Credentials['findMember']>;
  readonly log: Log;
}

/** Makes a client of the protocol sign in, or request more scopes (RFC 6750, RFC 9728). */
class Challenge extends AppError {
  readonly parameters: Readonly<Record<string, string>>;

  constructor(error: AppError, parameters: Readonly<Record<string, string>>) {
    super(error.code, error.message, error.details);
    this.parameters = parameters;
  }
}

/**
 * The agent tool server: Model Context Protocol over Streamable HTTP, one answer per request and no sessions. Only
 * access tokens for this resource are accepted; never an API key, a cookie or a session id.
 */
export function agentToolsMount(parts: AgentToolsParts): Mount {
  // The tools and the protocol are loaded for the first message, because most processes never get one.
  let known: ReadonlyMap<string, Tool> | undefined;
  return {
    path: TOOLS_PATH,
    methods: ['POST'],
    handle: async (ctx) => {
      try {
        refuseForeignOrigin(ctx.req, parts.baseUrl);
        const { caller, actor } = await comeIn(parts, ctx);
        const message = await readMessage(ctx.req);
        known ??= createTools(parts.routes);
        requireToolScope(known, message, actor);
        const by = { caller, actor, request: requestOf(ctx) };
        const asked = webRequest(ctx.req, parts.baseUrl);
        const { serveMessage } = await import('./server.ts');
        const onFault = (error: Error): void => {
          if (error instanceof TurnRefused) ctx.state.countTurn(error);
          else parts.log.error({ err: error }, 'agent tool failed');
        };
        const missing: Challenge[] = [];
        const onRefused = (error: AppError): void => {
          const found = challengeFor(error, actor);
          if (found) missing.push(found);
        };
        const serving = { ...parts, tools: known, onFault, onRefused };
        const answer = await serveMessage(serving, by, asked, message);
        if (missing[0]) throw missing[0];
        await answerWith(ctx, answer);
      } catch (error) {
        if (!(error instanceof Challenge)) throw error;
        ctx.state.answer = challenge(error, ctx.state.requestId, parts.baseUrl);
      }
    },
  };
}

/** Pages of other sites must not reach this server through someone's browser (DNS rebinding). */
function refuseForeignOrigin({ headers: { origin } }: IncomingMessage, baseUrl: string): void {
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  throw new AppError('forbidden', 'Pages of other sites may not call this address.');
}

async function comeIn(
  { database, findMember }: AgentToolsParts,
  { req, res, state: { ip } }: Framed,
): Promise<{ caller: Caller; actor: MemberActor }> {
  try {
    const caller = await authenticate({ database, findMember, memberActor }, { req, res, ip });
    const { actor } = caller;
    if (actor.type === 'member' && actor.app) return { caller, actor };
    throw new AppError('unauthorized', 'Only an app that acts for a person may come in here.');
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unauthorized') throw error;
    const sent = req.headers.authorization !== undefined;
    throw new Challenge(error, sent ? { error: 'invalid_token' } : {});
  }
}

async function readMessage(req: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const message = await readJson(req);
  if (message) return message;
  throw new AppError('bad_request', 'Send one message of JSON-RPC as the body.');
}

/** Some need a second scope for some records, which shows only then: see `challengeFor`. */
function requireToolScope(
  tools: ReadonlyMap<string, Tool>,
  { method, params }: Readonly<Record<string, unknown>>,
  actor: MemberActor,
): void {
  const name = method === 'tools/call' ? (params as { name?: unknown } | null)?.name : undefined;
  const scope = typeof name === 'string' ? tools.get(name)?.route.scope : undefined;
  if (!scope) return;
  const refusal = new AppError('forbidden', `This needs the scope ${scope}.`, { scope });
  const missing = challengeFor(refusal, actor);
  if (missing) throw missing;
}

/**
 * The 403 tells a client which scopes to request, because it asks for exactly these: those it has, the missing one,
 * and `offline_access`, which no access token shows and without which it would lose its refresh token.
 *
 * @returns null if the error is not that the app lacks a scope
 */
function challengeFor(error: AppError, { app }: MemberActor): Challenge | null {
  const scope = missingScope(error);
  if (!scope || !app || app.scopes.has(scope)) return null;
  const wanted = [...app.scopes, scope, 'offline_access'].join(' ');
  return new Challenge(error, { error: 'insufficient_scope', scope: wanted });
}

function challenge(error: Challenge, requestId: string, baseUrl: string) {
  const metadata = `${baseUrl}/.well-known/oauth-protected-resource${TOOLS_PATH}`;
  const said = Object.entries({ ...error.parameters, resource_metadata: metadata })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
  const answer = errorAnswer(error, requestId, baseUrl);
  return { ...answer, headers: { ...answer.headers, 'WWW-Authenticate': `Bearer ${said}` } };
}

/** Only the protocol's own headers are passed on, never the token or a cookie. */
const PASSED_ON = /^(?:accept|content-type|mcp-.+)$/;

function webRequest({ headers }: IncomingMessage, baseUrl: string): Request {
  const passed = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    PASSED_ON.test(name) && typeof value === 'string' ? [[name, value]] : [],
  );
  return new Request(baseUrl + TOOLS_PATH, { method: 'POST', headers: passed });
}

/** Its other headers are omitted, because the frame has already set the caching headers. */
async function answerWith(ctx: Framed, response: Response): Promise<void> {
  const type = response.headers.get('content-type');
  if (type) ctx.set('Content-Type', type);
  ctx.body = response.body ? Buffer.from(await response.arrayBuffer()) : null;
  ctx.status = response.status;
}
