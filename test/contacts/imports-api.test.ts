import { describe, expect, it } from '@jest/globals';
import { contactImportRoutes } from '../../src/contacts/imports/routes.ts';
import { importSome } from '../../src/contacts/imports/steps.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { openApi } from '../support/api.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { contextsOf, fileOf, imported, manyPeople } from './support/imports.ts';

const door = opened(() => openApi({ routes: [...contactImportRoutes, ...contactRoutes] }));
const call = (method: string, path: string, body?: unknown, by = door.key): Promise<Reply> =>
  door.call(method, `/contacts${path}`, body, by);

/** Takes everything in, as the workflow would. */
const finish = (id: string) =>
  importSome(
    contextsOf(door.database),
    { organizationId: door.ctx.organizationId, importId: id },
    () => true,
  );

describe('an import of contacts', () => {
  it('answers at once what it will do, and asks for its workflow', async () => {
    const reply = await call('POST', '/imports', fileOf(manyPeople(3)));

    expect(reply.status).toBe(201);
    expect(reply.body).toMatchObject({
      file_name: 'clientes.csv',
      status: 'pending',
      total: 3,
      created: 0,
      created_by: { type: 'service_account' },
      started_at: null,
    });
    expect(
      await rowsOf(door.ctx, `select payload from facts where type = 'import.started'`),
    ).toEqual([{ payload: JSON.stringify({ importId: reply.body.id }) }]);
    expect((await call('GET', '/imports')).body.data).toContainEqual(reply.body);
    expect((await call('GET', `/imports/${reply.body.id}`)).body).toEqual(reply.body);
  });

  it('gives each row its outcome, in the order of the file and by the outcome', async () => {
    const known = await call('POST', '', { name: 'Zilda', phone: '+5511984000001' });
    const { id } = await imported(
      door.api,
      door.key,
      [
        'name;phone;email;tags;birth_date;custom.size',
        'Zilda;+551184000001;;;;',
        'Yara;+5511984000002;yara@example.com;"vip; novo";1990-02-03;M',
        ';11 98400-0003;;;2999-01-01;',
        '',
        'Yara Lima;+5511984000002;;;;',
      ].join('\r\n'),
    );

    const progress = await finish(id);

    expect(progress).toEqual({ status: 'done', total: 4, done: 4, failed: 1 });
    expect((await call('GET', `/imports/${id}`)).body).toMatchObject({
      status: 'done',
      created: 1,
      updated: 1,
      unchanged: 1,
      failed: 1,
    });
    const { data } = (await call('GET', `/imports/${id}/rows`)).body;
    expect(data.map((row: { line: number; outcome: string }) => [row.line, row.outcome])).toEqual([
      [2, 'unchanged'],
      [3, 'created'],
      [4, 'failed'],
      [6, 'updated'],
    ]);
    expect(data[0].contact_id).toBe(known.body.id);
    expect(data[2].problems.map(({ path }: { path: string }) => path)).toContain('phone');
    const failed = (await call('GET', `/imports/${id}/rows?outcome=failed`)).body;
    expect(failed).toEqual({ data: [data[2]], next_cursor: null });
    expect((await call('GET', `/${data[1].contact_id}`)).body).toMatchObject({
      name: 'Yara Lima',
      email: 'yara@example.com',
      tags: ['vip', 'novo'],
      birth_date: '1990-02-03',
      custom: { size: 'M' },
      origin: 'import',
      created_via: 'import',
    });
  });

  it('pages its rows without missing one', async () => {
    const { id } = await imported(door.api, door.key, manyPeople(7, 100));
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await call('GET', `/imports/${id}/rows?limit=3${cursor}`);
      seen.push(...body.data.map(({ line }: { line: number }) => line));
      cursor = body.next_cursor ? `&cursor=${body.next_cursor}` : '';
    } while (cursor);

    expect(seen).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });

  it('keeps what looks like a formula as the text it is', async () => {
    const { id } = await imported(
      door.api,
      door.key,
      'name,phone,custom.note\n"=HYPERLINK(""http://x"")",+5511984000010,@SUM(1+1)\n',
    );

    await finish(id);

    const [found] = (await call('GET', '?phone=5511984000010')).body.data;
    expect(found).toMatchObject({
      name: '=HYPERLINK("http://x")',
      custom: { note: '@SUM(1+1)' },
    });
  });

  it('keeps nothing of the rows once they have an outcome', async () => {
    const { id } = await imported(door.api, door.key, manyPeople(2, 200));

    await finish(id);

    const kept = await rowsOf(
      door.ctx,
      'select distinct fields from contact_import_rows where import_id = $1',
      [id],
    );
    expect(kept).toEqual([{ fields: {} }]);
  });

  it('never clears an opt-out, and brings nobody back under a new record', async () => {
    const person = (await call('POST', '', { phone: '+5511984000020' })).body.id;
    await rowsOf(door.ctx, 'update contacts set opted_out = true where id = $1', [person]);
    const { id } = await imported(door.api, door.key, 'name,phone\nNova,+5511984000020\n');

    await finish(id);

    expect((await call('GET', `/${person}`)).body).toMatchObject({ name: 'Nova', opted_out: true });
  });

  it('takes as many people as the plan allows, and names the quota on the others', async () => {
    const small = await aWorkspace(door.database, { plan: 'essencial' });
    const smallKey = (await anApiKey(small.ctx)).key;
    await rowsOf(
      small.ctx,
      `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
         select wms.organization(), 'con_' || i, 'import', 'api', now(), now() from generate_series(1, 4999) i`,
    );
    const { id } = await imported(door.api, smallKey, manyPeople(2, 300));

    await importSome(
      contextsOf(door.database),
      { organizationId: small.ctx.organizationId, importId: id },
      () => true,
    );

    const { data } = (await call('GET', `/imports/${id}/rows`, undefined, smallKey)).body;
    expect(data.map(({ problems }: { problems: { rule: string }[] }) => problems[0]?.rule)).toEqual(
      [undefined, 'quota'],
    );
  });

  it('stops when it is cancelled: who is in stays in, and the rest is forgotten', async () => {
    const { id } = await imported(door.api, door.key, manyPeople(700, 1_000));
    await importSome(
      contextsOf(door.database),
      { organizationId: door.ctx.organizationId, importId: id },
      () => false,
    );

    const cancelled = await call('POST', `/imports/${id}/cancel`);
    const again = await call('POST', `/imports/${id}/cancel`);
    const after = await finish(id);

    expect([cancelled.status, cancelled.body.status, cancelled.body.created]).toEqual([
      200,
      'cancelled',
      500,
    ]);
    expect([again.status, again.body.error]).toEqual([
      409,
      expect.objectContaining({
        code: 'invalid_state',
        details: { status: 'cancelled', allowed: ['pending', 'running'] },
      }),
    ]);
    expect(after).toMatchObject({ status: 'cancelled', done: 500 });
    const left = await rowsOf(
      door.ctx,
      'select count(*) as n, count(*) filter (where fields <> $2) as told from contact_import_rows where import_id = $1 and outcome is null',
      [id, '{}'],
    );
    expect(left).toEqual([{ n: 200, told: 0 }]);
  });

  it('is an owner’s and an admin’s, not an agent’s', async () => {
    const agent = await aMember(door.ctx, { role: 'agent' });
    const admin = await aMember(door.ctx, { role: 'admin' });

    const refused = await call('POST', '/imports', fileOf(manyPeople(1, 400)), agent.token);
    const taken = await call('POST', '/imports', fileOf(manyPeople(1, 401)), admin.token);

    expect([refused.status, refused.body.error.details]).toEqual([
      403,
      { permission: 'contacts.import' },
    ]);
    expect([taken.status, taken.body.created_by.type]).toEqual([201, 'member']);
  });
});
