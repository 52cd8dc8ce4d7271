import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace, sqlOver } from '../../src/db/database.ts';
import { createReconciler } from '../../src/relay/reconciler.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

const OVER = 5_000;
/** The few that are open, a few times each. */
const ROWS = 40;

let database: OwnDatabase;
let ctx: Context;

const RUNS = `
insert into automation_runs (organization_id, id, automation_id, version, trigger, status, waits_for, wait_until, started_at, moved_at)
select $1, 'run_' || $3::text || coalesce($4::text, '') || lpad(n::text, 10, '0'), $2, 1, '{}', $3, $4, now() + $5::interval, now(), now() - interval '1 hour'
from generate_series(1, $6::int) n`;

const CAMPAIGNS = `
insert into campaigns (organization_id, id, name, status, target, text, created_by, started_at, finished_at, created_at)
select $1, 'cmp_' || $2::text || lpad(n::text, 10, '0'), 'n', $2, 'contacts', 't', '{}', now() - interval '1 hour',
  now() - interval '1 hour', now() from generate_series(1, $3::int) n`;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  const { organizationId } = ctx;
  const { id: automationId } = await anAutomation(ctx, {});
  await inWorkspace(database, organizationId, async (sql) => {
    await sql.rows(
      `insert into automation_versions (organization_id, automation_id, version, definition, created_at)
       values ($1, $2, 1, '{}', now())`,
      [organizationId, automationId],
    );
    const runs = (status: string, waits: string | null, until: string, count: number) =>
      sql.rows(RUNS, [organizationId, automationId, status, waits, until, count]);
    await runs('succeeded', null, '-1 hour', OVER);
    await runs('running', null, '-1 hour', 2);
    await runs('waiting', 'time', '-1 hour', 3);
    await runs('waiting', 'condition', '1 day', 1);
    for (const status of ['done', 'cancelled'])
      await sql.rows(CAMPAIGNS, [organizationId, status, OVER]);
    await sql.rows(CAMPAIGNS, [organizationId, 'sending', 2]);
  });
  await analyze(database.url, 'automation_runs', 'campaigns');
});

afterAll(() => database.close());

describe('a round of the reconciler', () => {
  it('reads what is open, and nothing of what is over', async () => {
    const client = await database.system.connect();
    const asked: string[] = [];
    const perform = async (reaction: { workflowId: string }): Promise<void> => {
      asked.push(reaction.workflowId);
    };
    const system = client as unknown as Database['system'];
    const reconcile = createReconciler({ database: { system }, calls: { perform } });
    await client.query('begin');
    const before = await rowsRead(sqlOver(client), ['automation_runs', 'campaigns']);

    await reconcile();

    const read = (await rowsRead(sqlOver(client), ['automation_runs', 'campaigns'])) - before;
    await client.query('rollback');
    client.release();
    expect(asked).toHaveLength(8);
    expect(read).toBeLessThan(ROWS);
  });
});
