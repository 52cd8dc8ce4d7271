import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { first } from '../../src/db/sql.ts';
import { transact } from '../../src/db/transact.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { until } from '../support/processes/child.ts';

const POOL = 2;

let database: Database;
let ctx: Context;
let superuser: pg.Client;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: POOL });
  ({ ctx } = await aWorkspace(database));
  superuser = new pg.Client({ connectionString: process.env['TEST_PG_URL'] ?? '' });
  await superuser.connect();
});

afterAll(async () => {
  await superuser.end();
  await database.close();
});

/** A use case whose connection is cut in the middle of it. */
const cutShort = (): Promise<unknown> =>
  transact(ctx, async (tx) => {
    const row = await first<{ pid: number }>(tx.sql, 'select pg_backend_pid() as pid', []);
    await superuser.query('select pg_terminate_backend($1)', [row?.pid]);
    await tx.sql.rows('select 1', []);
  });

describe('a connection that is lost in the middle of a transaction', () => {
  it('costs that transaction only: the next ones get a new one, however often it happens', async () => {
    for (let lost = 0; lost < POOL; lost++) await expect(cutShort()).rejects.toThrow();

    const name = async (): Promise<unknown> =>
      transact(ctx, (tx) => first(tx.sql, 'select name from workspaces', []));

    await until('the pool has recovered', async () => (await name()) !== null);
    expect(await Promise.all([name(), name()])).toHaveLength(POOL);
  });
});
