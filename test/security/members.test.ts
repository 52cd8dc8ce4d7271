import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply, serveApi } from '../support/http.ts';
import { aMember, aToken, type TestMember } from '../support/members.ts';
import { noteRoutes } from '../support/notes.ts';
import { rowsOf } from '../support/rows-of.ts';

let door: OpenDoor;
let ctx: Context;

beforeAll(async () => {
  door = await openDoor({ routes: noteRoutes });
  ({ ctx } = await aWorkspace(door.database));
});
afterAll(() => door.close());

const notes = ({ token }: Pick<TestMember, 'token'>, api = door.api): Promise<Reply> =>
  api.call('GET', '/api/v1/notes', { key: token });

const write = (key: string): Promise<Reply> =>
  door.api.call('POST', '/api/v1/notes', { key, body: { name: newId('req') } });

/** Each call sends the same key again. */
const lock = (key: string, noteId: string): Promise<Reply> => {
  const headers = { 'idempotency-key': 'lock' };
  return door.api.call('POST', `/api/v1/notes/${noteId}/lock`, { key, headers });
};

const change = (id: string, set: string): Promise<unknown> =>
  rowsOf(ctx, `update members set ${set} where id = $1`, [id]);

const outcome = ({ status, body }: Reply): unknown => [status, body.error?.code];

describe('a member through an app', () => {
  it('reaches what the grant and the role both allow, and nothing else', async () => {
    const agent = await aMember(ctx, { role: 'agent' });
    const narrow = aToken(ctx.organizationId, agent.id, { scopes: ['contacts:write'] });

    expect([(await notes(agent)).status, (await write(agent.token)).status]).toEqual([200, 201]);
    expect((await notes(narrow)).body.error).toMatchObject({
      code: 'forbidden',
      details: { scope: 'contacts:read' },
    });
    expect((await write(narrow.token)).status).toBe(201);
  });

  it('may do what no API key may', async () => {
    const { token } = await aMember(ctx, { role: 'admin' });

    const reply = await door.api.call('POST', '/api/v1/notes/drafts', { key: token });

    expect(reply.status).toBe(201);
  });

  it.each([
    ['is suspended', "status = 'suspended'"],
    ['becomes a Viewer and so loses the seat', "role = 'viewer'"],
    ['has not accepted the invitation', "status = 'invited'"],
  ])('is refused at the next call, in every process, when the person %s', async (_, set) => {
    const second = await serveApi(door.database, { routes: noteRoutes });
    const member = await aMember(ctx);
    expect((await notes(member)).status).toBe(200);

    await change(member.id, set);

    for (const api of [door.api, second])
      expect(outcome(await notes(member, api))).toEqual([401, 'unauthorized']);
    await second.close();
  });

  it('is refused when the person has left the workspace, or never was there', async () => {
    const member = await aMember(ctx);
    await rowsOf(ctx, 'delete from members where id = $1', [member.id]);
    const elsewhere = await aWorkspace(door.database);
    const foreign = aToken(elsewhere.workspaceId, (await aMember(ctx)).id);

    for (const gone of [member, foreign])
      expect(outcome(await notes(gone))).toEqual([401, 'unauthorized']);
  });

  it('loses a permission at the next call', async () => {
    const member = await aMember(ctx, { role: 'agent', console: true });
    expect((await write(member.token)).status).toBe(201);

    await change(member.id, "role = 'viewer'");

    const refused = await write(member.token);
    expect(refused.status).toBe(403);
    expect(refused.body.error.details).toEqual({ permission: 'contacts.write' });
  });

  it('gets no stored answer again without the permission, and its secret least of all', async () => {
    const member = await aMember(ctx, { role: 'agent', console: true });
    const { id } = (await write(member.token)).body;
    const first = await lock(member.token, id);
    expect(first.body.secret).toMatch(/^whsec_/);

    await change(member.id, "role = 'viewer'");
    const refused = await lock(member.token, id);
    await change(member.id, "role = 'agent'");
    const again = await lock(member.token, id);

    expect(outcome(refused)).toEqual([403, 'forbidden']);
    expect(refused.headers.has('idempotent-replayed')).toBe(false);
    expect(again.text).toBe(first.text);
  });

  it('has 600 requests a minute for each connection of its own', async () => {
    const member = await aMember(ctx);
    const other = aToken(ctx.organizationId, member.id);
    await rowsOf(ctx, 'select wms.take_request($1, 600) from generate_series(1, 599)', [
      member.credentialId,
    ]);

    const last = await notes(member);
    const over = await notes(member);

    expect(last.headers.get('ratelimit')).toMatch(/r=0;/);
    expect(outcome(over)).toEqual([429, 'rate_limited']);
    expect((await notes(other)).status).toBe(200);
  });
});

describe('a member in the console', () => {
  it('is bound by permissions alone, as a Viewer too', async () => {
    const viewer = await aMember(ctx, { role: 'viewer', console: true });

    expect((await notes(viewer)).status).toBe(200);
    expect((await write(viewer.token)).body.error.details).toEqual({
      permission: 'contacts.write',
    });
  });
});

describe('a token that stands for nobody', () => {
  it.each(['nonsense', 'sk_live_', 'a'.repeat(9_000), 'a b'])(
    'is refused: %.20s',
    async (token) => {
      expect(outcome(await notes({ token }))).toEqual([401, 'unauthorized']);
    },
  );
});
