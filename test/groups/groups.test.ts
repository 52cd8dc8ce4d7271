import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { groupRoutes } from '../../src/groups/routes.ts';
import { addGroup, findOrCreateGroup } from '../../src/groups/service.ts';
import { newId } from '../../src/ids.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';

let door: OpenDoor;
let ctx: Context;
let key: string;
let numberId: string;

beforeAll(async () => {
  door = await openDoor({ routes: [...groupRoutes, ...conversationRoutes] });
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
  numberId = (await aNumber(ctx)).id;
});

afterAll(() => door.close());

const list = async (query = '', as = key): Promise<string[]> =>
  (await door.api.call('GET', `/api/v1/groups${query}`, { key: as })).body.data.map(
    (group: { id: string }) => group.id,
  );
const read = (id: string, as = key): Promise<Reply> =>
  door.api.call('GET', `/api/v1/groups/${id}`, { key: as });
const say = (id: string, as = key): Promise<Reply> =>
  door.api.call('POST', `/api/v1/groups/${id}/messages`, { key: as, body: { text: 'Bom dia' } });

describe('groups', () => {
  it('are listed with what the specification names, newest first, by number and by being in them', async () => {
    const other = (await aNumber(ctx)).id;
    const first = await addGroup(ctx, { numberId, providerId: 'g-1', name: 'Bairro', members: 7 });
    const second = await addGroup(ctx, { numberId: other, providerId: 'g-1', name: 'Obra' });
    await rowsOf(ctx, 'update groups set left_at = now() where id = $1', [second.id]);

    const { body } = await door.api.call('GET', `/api/v1/groups?number_id=${numberId}`, { key });

    expect(body.data).toEqual([
      {
        id: first.id,
        name: 'Bairro',
        description: '',
        members: 7,
        number_id: numberId,
        conversation_id: first.conversationId,
        left_at: null,
        created_at: ctx.now.toISOString(),
      },
    ]);
    expect((await read(first.id)).body).toEqual(body.data[0]);
    expect((await read(newId('grp'))).status).toBe(404);
    expect(await list()).toEqual([second.id, first.id]);
    expect(await list('?active=true')).toEqual([first.id]);
    expect(await list('?active=false')).toEqual([second.id]);
  });

  it('receive a message that is queued for their own pace', async () => {
    const group = await addGroup(ctx, { numberId, providerId: 'g-2', name: 'Clientes' });

    const reply = await say(group.id);

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      conversation_id: group.conversationId,
      contact_id: null,
      status: 'queued',
    });
  });

  it('that we left take nothing', async () => {
    const group = await addGroup(ctx, { numberId, providerId: 'g-3', name: 'Antigo' });
    await rowsOf(ctx, 'update groups set left_at = now() where id = $1', [group.id]);

    const reply = await say(group.id);

    expect([reply.status, reply.body.error.code]).toEqual([409, 'invalid_state']);
  });

  it('have no window, whatever their number has: they can be replied to until we leave', async () => {
    const windowed = (await aNumber(ctx, { window: true })).id;
    const wanted = { numberId: windowed, providerId: 'g-9', name: 'Turma' };
    const group = await addGroup(ctx, wanted);
    const ofNumber = async (query: string): Promise<boolean[]> => {
      const path = `/api/v1/conversations?number_id=${windowed}&${query}`;
      const { body } = await door.api.call('GET', path, { key });
      return body.data.map((each: { can_reply: boolean }) => each.can_reply);
    };

    expect((await say(group.id)).status).toBe(201);
    expect([await ofNumber('window=open'), await ofNumber('window=expired')]).toEqual([[true], []]);
    await rowsOf(ctx, 'update groups set left_at = now() where id = $1', [group.id]);
    expect(await ofNumber('window=open')).toEqual([false]);
  });

  it('are hidden from who does not see their conversation', async () => {
    const group = await addGroup(ctx, { numberId, providerId: 'g-4', name: 'Diretoria' });
    const { token, id } = await aMember(ctx, { visibility: 'assigned' });

    expect(await list('', token)).toEqual([]);
    expect((await read(group.id, token)).status).toBe(404);
    expect((await say(group.id, token)).status).toBe(404);
    await rowsOf(ctx, 'update conversations set assigned_member_id = $2 where id = $1', [
      group.conversationId,
      id,
    ]);
    expect(await list('', token)).toEqual([group.id]);
    expect((await read(group.id, token)).body.id).toBe(group.id);
    expect((await say(group.id, token)).status).toBe(201);
  });

  it('need the permission for groups, also through their conversation', async () => {
    const group = await addGroup(ctx, { numberId, providerId: 'g-5', name: 'Vizinhos' });
    const { token } = await aMember(ctx, { role: 'viewer', console: true });
    const path = `/api/v1/conversations/${group.conversationId}/messages`;

    const direct = await say(group.id, token);
    const through = await door.api.call('POST', path, { key: token, body: { text: 'a' } });

    expect([direct.status, through.status]).toEqual([403, 403]);
  });

  it('need the scope for groups by whichever route they are written to', async () => {
    const group = await addGroup(ctx, { numberId, providerId: 'g-8', name: 'Só conversas' });
    const { key: narrow } = await anApiKey(ctx, ['messages:write']);
    const { token } = await aMember(ctx, { role: 'admin', scopes: ['messages:write'] });
    const ask = (path: string, body: object, as: string): Promise<Reply> =>
      door.api.call('POST', `/api/v1${path}`, { key: as, body: { text: 'a', ...body } });

    for (const as of [narrow, token])
      for (const reply of [
        await ask('/messages', { number_id: numberId, group_id: group.id }, as),
        await ask(`/conversations/${group.conversationId}/messages`, {}, as),
      ]) {
        expect([reply.status, reply.body.error.code]).toEqual([403, 'forbidden']);
        expect(reply.body.error.details).toEqual({ scope: 'groups:write' });
      }
  });

  it('begin once, however many messages of theirs arrive at once', async () => {
    const found = await Promise.all(
      Array.from({ length: 5 }, () =>
        transact({ ...ctx, em: ctx.em.fork() }, (tx) =>
          findOrCreateGroup(tx, { numberId, providerId: 'g-6', name: '' }, tx.now),
        ),
      ),
    );

    expect(new Set(found.map(({ id }) => id)).size).toBe(1);
  });

  it('are refused by hand twice, unless we had left them, and without a name', async () => {
    const wanted = { numberId, providerId: 'g-7', name: 'Uma vez' };
    await addGroup(ctx, wanted);

    await expect(addGroup(ctx, wanted)).rejects.toMatchObject({ code: 'duplicate' });
    await rowsOf(ctx, 'update groups set left_at = now() where name = $1', [wanted.name]);
    const again = await addGroup({ ...ctx, now: new Date() }, wanted);

    expect(await list('?active=true')).toContain(again.id);
    for (const [path, wrong] of [
      ['name', { name: '' }],
      ['name', { name: ' \u200b' }],
      ['name', { name: 'x'.repeat(101) }],
      ['provider_id', { providerId: 'g 7' }],
      ['members', { members: Number('many') }],
      ['members', { members: 1_025 }],
    ] as const)
      await expect(addGroup(ctx, { ...wanted, ...wrong })).rejects.toMatchObject({
        code: 'validation',
        details: [{ path }],
      });
  });

  it('that began with a message are given a name by hand, once', async () => {
    const place = { numberId, providerId: 'g-11' };
    const unnamed = await transact({ ...ctx, em: ctx.em.fork() }, (tx) =>
      findOrCreateGroup(tx, { ...place, name: '' }, tx.now),
    );

    const named = await addGroup(ctx, { ...place, name: ' Condomínio ', members: 40 });

    expect(named).toEqual(unnamed);
    const { body } = await door.api.call('GET', `/api/v1/groups?number_id=${numberId}`, { key });
    expect(body.data[0]).toMatchObject({ id: named.id, name: 'Condomínio', members: 40 });
    await expect(addGroup(ctx, { ...place, name: 'Outro' })).rejects.toMatchObject({
      code: 'duplicate',
    });
  });

  it('that are added by hand again after we left take what is said of them then', async () => {
    const wanted = {
      numberId,
      providerId: 'g-10',
      name: 'Antes',
      description: 'Velha',
      members: 3,
    };
    const { id } = await addGroup(ctx, wanted);
    const again = async (more: object): Promise<unknown> => {
      await rowsOf(ctx, 'update groups set left_at = now() where id = $1', [id]);
      const place = { numberId, providerId: 'g-10' };
      await addGroup({ ...ctx, now: new Date() }, { ...place, name: 'Depois', ...more });
      const { body } = await door.api.call('GET', `/api/v1/groups?number_id=${numberId}`, { key });
      return body.data.find((group: { id: string }) => group.id === id);
    };

    const named = { id, name: 'Depois', left_at: null };
    expect(await again({})).toMatchObject({ ...named, description: 'Velha', members: 3 });
    const more = { description: '', members: 9 };
    expect(await again(more)).toMatchObject({ ...named, ...more });
  });
});
