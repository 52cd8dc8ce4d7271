import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { agentToolsMount } from '../../src/agent-tools/mount.ts';
import type { Database } from '../../src/db/database.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { createLog } from '../../src/log.ts';
import { openOwnDatabase } from './database.ts';
import { everyRoute } from './every-route.ts';
import { testKeyring } from './factories/numbers.ts';
import { doorOf, type OpenDoor, serveApi, type TestApi } from './http.ts';
import { findTestMember } from './members.ts';

export const MCP = '/api/mcp';

/** The real app with the agent tools. Tokens are those of `aMember`. */
export function serveTools(
  database: Database,
  { log = createLog({ level: 'silent', format: 'json' }), metrics = httpMetrics() } = {},
): Promise<TestApi> {
  const shared = {
    database,
    wake: () => {},
    clock: { now: () => new Date(), skewMs: 0 },
    keyring: testKeyring,
    baseUrl: 'http://api.test',
    log,
    routes: everyRoute,
    findMember: findTestMember,
  };
  return serveApi(database, { ...shared, metrics, mounts: [agentToolsMount(shared)] });
}

/** On a database of its own. */
export async function openToolDoor(): Promise<OpenDoor> {
  const database = await openOwnDatabase();
  return doorOf(database, await serveTools(database));
}

/** A client of the protocol that nobody here wrote, signed in with this token. */
export async function toolClient(
  { api }: OpenDoor,
  token: string,
  mode: 'auto' | 'legacy' = 'auto',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(api.url + MCP), { requestInit }));
  return client;
}

export interface CalledTool {
  readonly status: number;
  readonly headers: Headers;
  readonly failed: boolean;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape
  readonly body: any;
}

/** One call of a tool as a bare request: for hundreds of them. */
export async function callTool(
  { api }: { readonly api: Pick<TestApi, 'call'> },
  token: string,
  name: string,
  args: object,
): Promise<CalledTool> {
  const reply = await api.call('POST', MCP, {
    key: token,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });
  const data = /^data: (.*)$/m.exec(reply.text)?.[1];
  const result = data ? JSON.parse(data).result : reply.body?.result;
  const text: string = result?.content?.[0]?.text ?? reply.text;
  return {
    status: reply.status,
    headers: reply.headers,
    failed: result?.isError ?? reply.status >= 400,
    text,
    body: JSON.parse(text),
  };
}
