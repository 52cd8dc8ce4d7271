import { channel } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { callTool, MCP, openToolDoor } from '../support/agent-tools.ts';
import type { CallOptions, OpenDoor, Reply } from '../support/http.ts';
import { aMember, aToken } from '../support/members.ts';
import type { FullWorkspace } from '../support/rows.ts';
import { aFullWorkspace } from '../support/two-workspaces.ts';

let door: OpenDoor;
let ours: FullWorkspace;

beforeAll(async () => {
  door = await openToolDoor();
  ours = await aFullWorkspace(door.database, door.api);
});
afterAll(() => door.close());

const METADATA = 'resource_metadata="http://api.test/.well-known/oauth-protected-resource/api/mcp"';
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const ACCEPT = { accept: 'application/json, text/event-stream' };

const post = (options: CallOptions): Promise<Reply> =>
  door.api.call('POST', MCP, {
    body: LIST,
    ...options,
    headers: { ...ACCEPT, ...options.headers },
  });

describe('who may not come in', () => {
  it('is told where to sign in when no token is sent', async () => {
    const reply = await post({});

    expect(reply.status).toBe(401);
    expect(reply.headers.get('www-authenticate')).toBe(`Bearer ${METADATA}`);
    expect(reply.body.error.code).toBe('unauthorized');
  });

  it('is told that the token is not valid, whatever it is: an API key, a console session, an unknown one', async () => {
    const session = aToken(ours.ctx.organizationId, ours.ids.mem ?? '', { console: true }).token;

    for (const key of [ours.key, session, 'unknown']) {
      const reply = await post({ key });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('www-authenticate')).toBe(
        `Bearer error="invalid_token", ${METADATA}`,
      );
    }
  });

  it('is not let in by a session id, a cookie or a token in the query', async () => {
    const token = ours.token;

    const replies = [
      await post({ headers: { 'mcp-session-id': token } }),
      await post({ headers: { cookie: `wms_session=${token}` } }),
      await door.api.call('POST', `${MCP}?access_token=${token}`, { body: LIST, headers: ACCEPT }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it('is shut out from the next call on when the person is suspended or becomes a Viewer', async () => {
    const { id, token } = await aMember(ours.ctx, { role: 'admin' });
    const become = (set: string): Promise<unknown> =>
      inWorkspace(door.database, ours.ctx.organizationId, (sql) =>
        sql.rows(`update members set ${set} where id = $1`, [id]),
      );
    const first = await post({ key: token });
    await become("role = 'viewer'");
    const viewer = await post({ key: token });
    await become("role = 'admin', status = 'suspended'");
    const suspended = await post({ key: token });

    expect([first.status, viewer.status, suspended.status]).toEqual([200, 401, 401]);
  });

  it('is refused when a page of another site asks, whatever the token', async () => {
    for (const origin of ['https://evil.example', 'http://api.test.evil.example', 'null']) {
      const reply = await post({ key: ours.token, headers: { origin } });
      expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
      expect(reply.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await post({ key: ours.token, headers: { origin: 'http://api.test' } })).status).toBe(
      200,
    );
  });
});

it('tells a client which scopes to ask for when the token lacks the one of a tool', async () => {
  const { token } = await aMember(ours.ctx, { role: 'owner', scopes: ['campaigns:read'] });

  const reply = await post({
    key: token,
    body: {
      ...LIST,
      method: 'tools/call',
      params: { name: 'send_campaign', arguments: { campaign_id: ours.ids.cmp } },
    },
  });

  expect(reply.status).toBe(403);
  expect(reply.headers.get('www-authenticate')).toBe(
    `Bearer error="insufficient_scope", scope="campaigns:read campaigns:send offline_access", ${METADATA}`,
  );
  expect(reply.body.error).toMatchObject({
    code: 'forbidden',
    details: { scope: 'campaigns:send' },
  });
});

it('tells it also when only the record shows that a second scope is needed, and sends nothing', async () => {
  const { token } = await aMember(ours.ctx, { role: 'owner', scopes: ['messages:write'] });
  const conversations = await inWorkspace(door.database, ours.ctx.organizationId, (sql) =>
    sql.rows<{ id: string }>('select id from conversations where group_id = $1', [ours.ids.grp]),
  );
  const call = (name: string, given: object): Promise<Reply> =>
    post({
      key: token,
      body: {
        ...LIST,
        method: 'tools/call',
        params: { name, arguments: { text: 'Oi', idempotency_key: 'oi', ...given } },
      },
    });

  const replies = [
    await call('send_message', { number_id: ours.ids.num, group_id: ours.ids.grp }),
    await call('send_to_conversation', { conversation_id: conversations[0]?.id }),
  ];

  for (const { status, headers, body } of replies) {
    expect([status, body.error?.details]).toEqual([403, { scope: 'groups:write' }]);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="messages:write groups:write offline_access", ${METADATA}`,
    );
  }
});

const INITIALIZE = {
  ...LIST,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

it('tells an agent from the start that what it sends reaches people, and to ask before', async () => {
  const { text } = await post({ key: ours.token, body: INITIALIZE });

  expect(text).toContain('Preview a campaign and ask before you send it.');
});

it('keeps no session and holds no stream open', async () => {
  const listen = { ...LIST, method: 'subscriptions/listen', params: { notifications: {} } };

  const begun = await post({ key: ours.token, body: INITIALIZE });
  const subscribed = await post({ key: ours.token, body: listen });

  expect(begun.status).toBe(200);
  expect(begun.headers.get('mcp-session-id')).toBeNull();
  expect(begun.headers.get('cache-control')).toBe('no-store');
  expect(subscribed.text).toContain('"error"');
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'PUT']) {
    const reply = await door.api.call(method, MCP, { key: ours.token });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'POST']);
  }
});

it('reads one message of JSON and nothing else', async () => {
  const statusOf = async (body: unknown, headers = {}): Promise<number> =>
    (await post({ key: ours.token, body, headers })).status;

  expect(await statusOf([LIST, LIST])).toBe(400);
  expect(await statusOf('{"jsonrpc":')).toBe(400);
  expect(await statusOf(JSON.stringify({ ...LIST, pad: 'x'.repeat(1_100_000) }))).toBe(413);
  expect(await statusOf('a=b', { 'content-type': 'application/x-www-form-urlencoded' })).toBe(415);
  expect(await statusOf(LIST, { 'content-encoding': 'gzip' })).toBe(415);
});

it('answers an unknown method or tool as the protocol wants it, and says nothing of ours', async () => {
  const unknown = await post({ key: ours.token, body: { ...LIST, method: 'workspaces/drop' } });
  const noTool = await post({
    key: ours.token,
    body: { ...LIST, method: 'tools/call', params: { name: 'delete_contact', arguments: {} } },
  });

  expect(unknown.text).toContain('-32601');
  expect(noTool.text).toContain('-32602');
  for (const { text } of [unknown, noTool]) expect(text).not.toMatch(/\.ts|select |node_modules/);
});

it('passes the token on to nobody: no tool asks another server for anything', async () => {
  const asked: string[] = [];
  const note = (message: unknown): void => {
    const { request } = message as { request: { origin?: unknown; path: string } };
    asked.push(`${String(request.origin ?? '')}${request.path}`);
  };
  const channels = ['undici:request:create', 'http.client.request.created'].map(channel);
  const listed = JSON.parse(
    /^data: (.*)$/m.exec((await post({ key: ours.token })).text)?.[1] ?? '',
  );
  const names: string[] = listed.result.tools.map(({ name }: { name: string }) => name);

  for (const one of channels) one.subscribe(note);
  for (const name of names) await callTool(door, ours.token, name, {}).catch(() => {});
  for (const one of channels) one.unsubscribe(note);

  expect(names.length).toBeGreaterThan(30);
  expect(asked).toEqual(names.map(() => `${door.api.url}${MCP}`));
});

it('counts calls of tools and of the API as those of one connection', async () => {
  const { token } = await aMember(ours.ctx, { role: 'owner' });
  const left = ({ headers }: Reply): number =>
    Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);

  const first = await post({ key: token });
  const api = await door.api.call('GET', '/api/v1/contacts', { key: token });
  await callTool(door, token, 'list_contacts', {});
  const last = await post({ key: token });

  expect(left(api)).toBe(left(first) - 1);
  expect(left(last)).toBe(left(first) - 3);
});
