import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { forgetOldRows } from '../../src/contacts/imports/forgetting.ts';
import { getImport, listImportRows } from '../../src/contacts/imports/service.ts';
import type { Context } from '../../src/context.ts';
import { asSystem, type Database, inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { aConsoleScene, type ConsoleScene } from '../console/support/scene.ts';

let scene: ConsoleScene;
let database: Database;
let ctx: Context;
beforeAll(async () => {
  scene = await aConsoleScene();
  ({ database, ctx } = scene);
});
afterAll(() => scene?.close());

async function anImport(rows: number, daysAgo: number | null): Promise<string> {
  const id = newId('imp');
  await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows(
      `with made as (
         insert into contact_imports (organization_id, id, file_name, status, total, created, created_by, finished_at, created_at)
         select $1, $2, 'clientes.csv', case when $4::int is null then 'running' else 'done' end, $3, $3, '{}',
           now() - make_interval(days => $4::int), now() - interval '60 days' returning id)
       insert into contact_import_rows (organization_id, import_id, line, fields, outcome, contact_id)
       select $1, id, n, '{}', 'created', 'con_' || n from made, generate_series(1, $3::int) n`,
      [ctx.organizationId, id, rows, daysAgo],
    ),
  );
  return id;
}

const rowsOf = (id: string): Promise<number> =>
  inWorkspace(database, ctx.organizationId, async (sql) => {
    const own = { sql, organizationId: ctx.organizationId };
    const { data } = await listImportRows(own, id, {}, { limit: 100, after: null });
    return data.length;
  });

it('keeps what became of each row for 30 days after an import, and its counts for good', async () => {
  const large = await anImport(5_003, 31);
  const old = await anImport(3, 31);
  const young = await anImport(3, 29);
  const running = await anImport(3, null);

  let steps = 0;
  while (await asSystem(database, forgetOldRows)) steps += 1;

  expect(await Promise.all([large, old, young, running].map(rowsOf))).toEqual([0, 0, 3, 3]);
  expect(steps).toBe(3);
  const kept = await inWorkspace(database, ctx.organizationId, (sql) =>
    getImport({ sql, organizationId: ctx.organizationId }, large),
  );
  expect(kept).toMatchObject({ status: 'done', total: 5_003, created: 5_003 });
});

it('is why the console shows no row of an old import, and it says so', async () => {
  const old = await anImport(3, 31);
  const young = await anImport(3, 29);
  while (await asSystem(database, forgetOldRows));

  const shown = async (id: string): Promise<string> =>
    (await scene.people.owner.get(`${scene.base}/contacts/imports/${id}?outcome=failed`)).text;

  expect(await shown(old)).toContain('Rows are kept for 30 days after the end of an import.');
  expect(await shown(old)).not.toContain('No row here.');
  expect(await shown(young)).toContain('No row here.');
});
