import { createHash, randomBytes } from 'node:crypto';
import { agentToolsMount } from '../../src/agent-tools/mount.ts';
import { createApp } from '../../src/app.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import type { Mount } from '../../src/http/mount.ts';
import { createHttpServer, stopHttpServer } from '../../src/http/serving/server.ts';
import { createLog } from '../../src/log.ts';
import { type AuthorizationServer, openAuthorizationServer } from '../../src/oauth/server.ts';
import { seeOther } from '../../src/people/session-cookie.ts';
import { openOwnDatabase } from './database.ts';
import { everyRoute } from './every-route.ts';
import { testKeyring } from './factories/numbers.ts';
import { aWorkspace } from './factories/workspaces.ts';
import { aMember } from './members.ts';
import { ownPort } from './ports.ts';

export interface SignInDoor {
  readonly database: Database;
  readonly baseUrl: string;
  readonly organizationId: string;
  /** The Owner who lets every agent in. */
  readonly memberId: string;
  /** An access token for the API. */
  apiToken(): Promise<string>;
  askTools(token: string): Promise<Response>;
  entries(action: string): Promise<{ readonly actor: Record<string, unknown> }[]>;
  close(): Promise<void>;
}

/** The real app with the authorization server and the agent tools; the person at the browser always agrees. */
export async function openSignInDoor(): Promise<SignInDoor> {
  const database = await openOwnDatabase();
  const { ctx, workspaceId: organizationId } = await aWorkspace(database);
  const { id: memberId } = await aMember(ctx, { role: 'owner' });
  const baseUrl = `http://127.0.0.1:${await ownPort()}`;
  const shared = {
    database,
    baseUrl,
    wake: () => {},
    clock: { now: () => new Date(), skewMs: 0 },
    keyring: testKeyring,
    log: createLog({ level: 'silent', format: 'json' }),
    routes: everyRoute,
  };
  const server = await openAuthorizationServer(shared);
  const findMember = (token: string) => server.access.findMember(token, `${baseUrl}/api/mcp`);
  const mounts = [
    ...server.mounts,
    agentToolsMount({ ...shared, findMember }),
    await agreeing(server, { database, organizationId, memberId }),
  ];
  const findApiMember = (token: string) => server.access.findMember(token, `${baseUrl}/api/v1`);
  const { handler } = createApp({ ...shared, mounts, findMember: findApiMember });
  const http = createHttpServer(handler, baseUrl);
  await new Promise<void>((resolve) => {
    http.listen(Number(new URL(baseUrl).port), '127.0.0.1', resolve);
  });
  return {
    database,
    baseUrl,
    organizationId,
    memberId,
    apiToken: () => tokenFor(baseUrl, `${baseUrl}/api/v1`),
    askTools: (token) => askTools(baseUrl, token),
    entries: (action) =>
      inWorkspace(database, organizationId, (sql) =>
        sql.rows('select actor from audit_entries where action = $1 order by seq', [action]),
      ),
    close: async () => {
      await stopHttpServer(http, 1_000);
      server.close();
      await database.close();
    },
  };
}

interface Person {
  readonly database: Database;
  readonly organizationId: string;
  readonly memberId: string;
}

/** In place of the consent page: the person grants everything that is asked. */
async function agreeing(
  { interactions }: AuthorizationServer,
  { database, organizationId, memberId }: Person,
): Promise<Mount> {
  const rows = await inWorkspace(database, organizationId, (sql) =>
    sql.rows<{ user_id: string }>('select user_id from members where id = $1', [memberId]),
  );
  const userId = rows[0]?.user_id ?? '';
  return {
    path: '/oauth/authorize/:uid',
    handle: async (ctx) => {
      const { scopes } = await interactions.read(ctx);
      const session = { id: 'ses_test', userId, signedInAt: new Date() };
      const approval = { organizationId, memberId, session, scopes };
      seeOther(ctx, await interactions.approve(ctx, approval));
    },
  };
}

/** A browser with its cookies: follows redirects until the app's own address, and answers its query. */
export async function visit(from: URL, until: string): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let at = from;
  for (let hops = 0; hops < 10; hops += 1) {
    if (at.href.startsWith(until)) return at.searchParams;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      cookies.set(name, value);
    }
    const next = reply.headers.get('location');
    if (!next) throw new Error(`${at.pathname}: ${reply.status} ${await reply.text()}`);
    at = new URL(next, at);
  }
  throw new Error('Too many redirects.');
}

const CALLBACK = 'http://127.0.0.1:4568/callback';

async function tokenFor(baseUrl: string, resource: string): Promise<string> {
  const oauth = `${baseUrl}/api/auth/oauth2`;
  const registered = await fetch(`${oauth}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id,
    resource,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'contacts:read',
    state: 'state',
    code_challenge_method: 'S256',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  });
  const back = await visit(new URL(`${oauth}/authorize?${query}`), CALLBACK);
  const exchanged = await fetch(`${oauth}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id,
      resource,
      grant_type: 'authorization_code',
      redirect_uri: CALLBACK,
      code: back.get('code') ?? '',
      code_verifier: verifier,
    }),
  });
  const { access_token } = (await exchanged.json()) as { access_token: string };
  return access_token;
}

const askTools = (baseUrl: string, token: string): Promise<Response> =>
  fetch(`${baseUrl}/api/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
