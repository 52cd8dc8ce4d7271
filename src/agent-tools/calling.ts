import type { Scope } from '../access/scopes.ts';
import { audit } from '../audit/service.ts';
import type { RequestInfo } from '../context.ts';
import { inWorkspace } from '../db/database.ts';
import { transact } from '../db/transact.ts';
import { AppError, type FieldProblem, validation } from '../errors.ts';
import { type Answer, errorAnswer } from '../http/answer.ts';
import type { Caller } from '../http/callers/authenticate.ts';
import { toAppError } from '../http/failures.ts';
import { idempotencyKey } from '../http/idempotency.ts';
import {
  type Asked,
  answerRead,
  answerSent,
  contextOf,
  type OfKind,
  type PerformingParts,
} from '../http/performing.ts';
import type { RawQuery } from '../http/query.ts';
import type { Tool } from './tools.ts';

/** The caller of a tool. The token itself is not passed on. */
export interface ToolCaller {
  readonly caller: Caller;
  readonly request: RequestInfo;
}

/** The tool's answer, as the API would give it: a record or page, or an error body. */
export interface ToolAnswer {
  readonly failed: boolean;
  /** JSON. */
  readonly text: string;
}

interface ToolCall extends ToolCaller {
  readonly tool: Tool;
  readonly args: Readonly<Record<string, unknown>>;
}

interface ToolParts extends PerformingParts {
  /** Told of failures that are ours. */
  readonly onFault: (error: AppError) => void;
  readonly onRefused: (error: AppError) => void;
}

/** Does what the operation does over HTTP. A call that fails in an expected way is an answer too, never an exception. */
export async function callTool(parts: ToolParts, call: ToolCall): Promise<ToolAnswer> {
  try {
    const { status, body } = await answer(parts, call);
    return { failed: status >= 400, text: body };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.status >= 500) parts.onFault(error);
    if (error.status === 403) parts.onRefused(error);
    return { failed: true, text: errorAnswer(error, call.request.id, parts.baseUrl).body };
  }
}

async function answer(
  parts: PerformingParts,
  { tool, args, caller, request }: ToolCall,
): Promise<Answer> {
  const { route, idNames } = tool;
  const rest: Record<string, unknown> = { ...args };
  const [id = '', partId = ''] = idNames.map((name) => taken(rest, name));
  const path = `/api${route.path.replace(/:\w+/, id).replace(/:\w+/, partId)}`;
  const asked = { caller, request, method: route.method, path, ids: { id, partId }, query: {} };
  if (route.kind === 'write') return write(parts, { tool, route, asked }, rest);
  const query = queryOf(rest);
  const { database } = parts;
  const { organizationId } = caller;
  const run = (): Promise<Answer> =>
    inWorkspace(database, organizationId, (sql) =>
      answerRead(parts, route, { ...asked, query }, sql),
    );
  return database.turns.reads.inTurn(organizationId, run, request.gone);
}

interface Change {
  readonly tool: Tool;
  readonly route: OfKind<'write'>;
  readonly asked: Asked;
}

/** The audit entry is written in the same transaction as the change. */
function write(
  parts: PerformingParts,
  { tool, route, asked }: Change,
  { idempotency_key: key, ...body }: Record<string, unknown>,
): Promise<Answer> {
  const sent = {
    body,
    file: null,
    key: keyOf(key),
    passes: (error: unknown) => missingScope(error) !== null,
  };
  return transact(contextOf(parts, asked), async (tx) => {
    const done = await answerSent(parts, { route, asked, sent }, tx);
    // Whatever a tool can change has an entry of its own; without one, everything was as it should be.
    if (!tx.beforeCommit?.length) return done;
    await audit(tx, {
      action: 'agent_tool.called',
      target: { type: 'agent_tool', id: tool.name, name: tool.title },
      changes: [{ field: 'record', from: null, to: asked.ids.id || idIn(done) }],
    });
    return done;
  });
}

/** The scope that a call was refused for; a client asks for it, and then makes the same call again. */
export function missingScope(error: unknown): Scope | null {
  if (!(error instanceof AppError) || error.code !== 'forbidden') return null;
  return ({ ...error.details } as { readonly scope?: Scope }).scope ?? null;
}

function idIn({ body }: Answer): string | null {
  const { id } = JSON.parse(body) as { id?: unknown };
  return typeof id === 'string' ? id : null;
}

function keyOf(key: unknown): string | null {
  if (key === undefined || key === null) return null;
  if (typeof key === 'string') return idempotencyKey(key);
  throw validation([problem('idempotency_key', 'type', 'Must be a string.')]);
}

/** Takes the id out of the arguments; what remains is the body or the filters. */
function taken(args: Record<string, unknown>, name: string): string {
  const { [name]: value } = args;
  delete args[name];
  if (typeof value === 'string' && /^[A-Za-z0-9_-]{1,100}$/.test(value)) return value;
  if (value === undefined) throw validation([problem(name, 'required', 'This field is required.')]);
  throw validation([problem(name, 'format', 'Must be an id.')]);
}

/** In the API, filters are texts; agents may also give numbers and booleans. */
function queryOf(args: Record<string, unknown>): RawQuery {
  const problems: FieldProblem[] = [];
  const query: Record<string, string> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === null || value === undefined) continue;
    if (['string', 'number', 'boolean'].includes(typeof value)) query[name] = String(value);
    else problems.push(problem(name, 'type', 'Must be a text, a number or a truth value.'));
  }
  if (problems.length > 0) throw validation(problems);
  return query;
}

const problem = (path: string, rule: string, message: string): FieldProblem => ({
  path,
  rule,
  message,
});
