import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { asSystem, type Database } from '../../src/db/database.ts';
import { fanOut } from '../../src/webhooks/lanes/intake.ts';
import { OVERDUE } from '../../src/webhooks/lanes/retry-queries.ts';
import { openOwnDatabase } from '../support/database.ts';
import { anEndpoint, sentEvents } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: Database;

beforeAll(async () => {
  database = await openOwnDatabase();
});
afterAll(() => database.close());

interface Explained {
  readonly 'QUERY PLAN': readonly [
    { readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Actual Rows': number } },
  ];
}

it('looking for retries that are overdue reads no delivery that waits in a backlog, however many there are', async () => {
  const { ctx, workspaceId } = await aWorkspace(database);
  const { id } = await anEndpoint(ctx, 'https://hooks.example.com/');

  const [seen] = await asSystem(database, async (sql) => {
    const look = `explain (analyze, buffers, format json) execute look(20000, '', 500)`;
    await sql.rows(`prepare look (int, text, int) as ${OVERDUE}`);
    // The plan is made while there is nothing, and kept.
    await sql.rows(look);
    await sentEvents(database, workspaceId);
    await fanOut(sql, { token: 'nobody', full: [id] }, 10);
    await sql.rows(
      `insert into webhook_deliveries select (jsonb_populate_record(d, jsonb_build_object(
         'id', 'dlv_' || lpad(n::text, 26, '0'), 'event_id', 'evt_' || lpad(n::text, 26, '0')))).*
       from webhook_deliveries d, generate_series(1, 20000) n`,
    );
    await sql.rows(
      `update webhook_deliveries set owned_by_workflow = true, in_backlog = false, status = 'retrying',
         next_attempt_at = now() - interval '1 hour' where id < 'dlv_' || lpad('4', 26, '0')`,
    );
    return sql.rows<Explained>(look);
  });

  const plan = seen?.['QUERY PLAN'][0].Plan;
  expect(plan?.['Actual Rows']).toBe(3);
  expect(plan?.['Shared Hit Blocks']).toBeLessThan(200);
});
