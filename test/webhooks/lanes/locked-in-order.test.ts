import { afterAll, beforeAll, it } from '@jest/globals';
import { asSystem, sqlOver } from '../../../src/db/database.ts';
import type { Sql } from '../../../src/db/sql.ts';
import { startDrains, startStrays } from '../../../src/webhooks/lanes/drains.ts';
import { fanOut } from '../../../src/webhooks/lanes/intake.ts';
import { recordStreaks } from '../../../src/webhooks/lanes/recording.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { eventually } from '../../support/receiver.ts';
import { asOwner } from '../events/support/refusing.ts';

let database: OwnDatabase;
beforeAll(async () => {
  database = await openOwnDatabase();
});
afterAll(() => database.close());

/** Endpoints that lie in the table in another order than that of their ids, each with a backlog nobody drains. */
async function manyEndpoints(): Promise<string[]> {
  const { ctx, workspaceId } = await aWorkspace(database, { plan: 'escala' });
  const ids: string[] = [];
  for (let n = 0; n < 20; n += 1)
    ids.push((await anEndpoint(ctx, `https://hooks.example.com/${n}`)).id);
  const sql = sqlOver(database.system);
  for (const id of ids.toReversed())
    await sql.rows('update webhook_endpoints set failures_in_row = 5 where id = $1', [id]);
  await asOwner(database.url, 'analyze webhook_endpoints');
  await sentEvents(database, workspaceId);
  await fanOut(sql, { token: 'nobody', full: ids, resting: ids }, 100);
  return ids.toSorted();
}

type Lock = (sql: Sql, ids: readonly string[]) => Promise<unknown>;
const count: Lock = (sql, ids) =>
  recordStreaks(
    sql,
    ids.map((endpointId) => ({ endpointId, reset: false, failures: 1 })),
  );
const start: Lock = (sql, ids) =>
  startDrains(
    sql,
    ids.map((endpointId) => ({ endpointId, due: null })),
  );

it.each([
  ['counting failures', count],
  ['starting drains', start],
  ['finding backlogs that no one drains', startStrays],
] as const)('%s locks endpoints in the order of their ids', async (_, lock) => {
  const ids = await manyEndpoints();
  const [first] = ids;
  const mine = 'select from webhook_endpoints where id = any($1) order by id for no key update';
  let others: Promise<unknown> = Promise.resolve();

  await asSystem(database, async (sql) => {
    await sql.rows(mine, [[first]]);
    others = lock(sqlOver(database.system), ids);
    await eventually(
      async () => (await sql.rows('select from pg_locks where not granted')).length > 0,
    );
    // A deadlock if they hold any of them already.
    await sql.rows(mine, [ids]);
  });

  await others;
});
