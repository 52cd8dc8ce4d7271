import { expect, it } from '@jest/globals';
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { inWorkspace } from '../../src/db/database.ts';
import { openSignInDoor, visit } from '../support/agent-sign-in.ts';
import { opened } from '../support/opened.ts';

const door = opened(openSignInDoor);

const REDIRECT = 'http://127.0.0.1:4567/callback';

type Kept<M extends 'saveTokens' | 'saveClientInformation' | 'saveDiscoveryState'> = Parameters<
  NonNullable<OAuthClientProvider[M]>
>[0];

/** What an agent's program keeps; the browser that it opens is `visit`. */
class Agent implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: 'Test agent',
    redirect_uris: [REDIRECT],
    token_endpoint_auth_method: 'none',
  };
  kept: Kept<'saveTokens'> | undefined;
  asked: URL | undefined;
  #client: Kept<'saveClientInformation'> | undefined;
  #discovered: Kept<'saveDiscoveryState'> | undefined;
  #verifier = '';

  clientInformation(): Kept<'saveClientInformation'> | undefined {
    return this.#client;
  }
  saveClientInformation(client: Kept<'saveClientInformation'>): void {
    this.#client = client;
  }
  tokens(): Kept<'saveTokens'> | undefined {
    return this.kept;
  }
  saveTokens(tokens: Kept<'saveTokens'>): void {
    this.kept = tokens;
  }
  redirectToAuthorization(url: URL): void {
    this.asked = url;
  }
  discoveryState(): Kept<'saveDiscoveryState'> | undefined {
    return this.#discovered;
  }
  saveDiscoveryState(found: Kept<'saveDiscoveryState'>): void {
    this.#discovered = found;
  }
  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }
  codeVerifier(): string {
    return this.#verifier;
  }
}

const transport = (authProvider: Agent): StreamableHTTPClientTransport =>
  new StreamableHTTPClientTransport(new URL(`${door.baseUrl}/api/mcp`), { authProvider });

const newClient = (): Client => new Client({ name: 'test', version: '1' });

/** Goes to the browser where the agent sent the person, and gives it the code from there. */
async function agree(agent: Agent, through: StreamableHTTPClientTransport): Promise<void> {
  const back = await visit(agent.asked ?? new URL(door.baseUrl), REDIRECT);
  await through.finishAuth(back.get('code') ?? '', back.get('iss') ?? undefined);
}

interface Connected {
  readonly agent: Agent;
  readonly client: Client;
  readonly through: StreamableHTTPClientTransport;
}

/**
 * Discovery, registration and authorization, as a person and an agent go through them.
 *
 * @param scope what the agent asks for, in place of everything
 */
async function connected(scope?: string): Promise<Connected> {
  const agent = new Agent();
  const first = transport(agent);
  await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError);
  if (scope) agent.asked?.searchParams.set('scope', scope);
  await agree(agent, first);
  const client = newClient();
  const through = transport(agent);
  await client.connect(through);
  return { agent, client, through };
}

it('an agent finds the server, registers, is let in by a person, calls tools and renews its token', async () => {
  const { agent, client } = await connected();

  const made = await client.callTool({ name: 'create_contact', arguments: { name: 'Ana' } });
  const before = agent.kept;
  agent.kept = before && { ...before, access_token: 'expired' };
  const listed = await client.callTool({ name: 'list_contacts', arguments: {} });

  expect(made.structuredContent).toMatchObject({ name: 'Ana' });
  expect(listed.structuredContent).toMatchObject({ data: [{ name: 'Ana' }] });
  expect(agent.kept?.access_token).not.toBe(before?.access_token);
  expect(agent.kept?.refresh_token).not.toBe(before?.refresh_token);
  expect(agent.asked?.searchParams.get('resource')).toBe(`${door.baseUrl}/api/mcp`);
  const [entry] = await door.entries('agent_tool.called');
  expect(entry?.actor).toMatchObject({ type: 'app', name: 'Test agent', member_id: door.memberId });
  await client.close();
});

it('a token of the agent tools opens nothing of the API, and one of the API no tool', async () => {
  const { agent, client } = await connected();
  const token = agent.kept?.access_token ?? '';

  const api = await fetch(`${door.baseUrl}/api/v1/contacts`, {
    headers: { authorization: `Bearer ${token}` },
  });

  expect(api.status).toBe(401);
  expect((await door.askTools(token)).status).toBe(200);
  expect((await door.askTools(await door.apiToken())).status).toBe(401);
  await client.close();
});

it('a disconnected agent is shut out at its next call', async () => {
  const { agent, client } = await connected();
  const token = agent.kept?.access_token ?? '';
  expect((await door.askTools(token)).status).toBe(200);

  await inWorkspace(door.database, door.organizationId, (sql) =>
    sql.rows('delete from oauth_connections'),
  );

  expect((await door.askTools(token)).status).toBe(401);
  await client.close();
});

it('an agent that asks for one scope more stays connected as long as before', async () => {
  const { agent, client, through } = await connected('contacts:read offline_access');
  const call = { name: 'create_contact', arguments: { name: 'Bia' } };

  await expect(client.callTool(call)).rejects.toThrow(UnauthorizedError);
  await agree(agent, through);

  expect((await client.callTool(call)).structuredContent).toMatchObject({ name: 'Bia' });
  expect(agent.kept?.scope?.split(' ').toSorted()).toEqual(['contacts:read', 'contacts:write']);
  expect(agent.kept?.refresh_token).toBeDefined();
  await client.close();
});
