import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createLog } from '../../src/log.ts';
import { keepPartitions } from '../../src/relay/partitions.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';

let database: OwnDatabase;
let owner: pg.Client;
beforeAll(async () => {
  database = await openOwnDatabase();
  owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.close();
});

const log = createLog({ level: 'silent', format: 'json' });

const lastDay = async (): Promise<string | undefined> => {
  const { rows } = await owner.query<{ name: string }>(
    "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'events'::regclass order by 1 desc limit 1",
  );
  return rows[0]?.name;
};

it('a worker that starts while somebody reads the tables keeps nobody waiting, for there are days ahead', async () => {
  // The run may have begun on the day before.
  (await keepPartitions(database, log)).stop();
  const last = await lastDay();
  await owner.query(`drop table ${last}`);
  await owner.query('begin');
  await owner.query('select from events limit 1');

  const keeping = await keepPartitions(database, log);
  keeping.stop();

  expect(await lastDay()).not.toBe(last);
  await owner.query('commit');
  (await keepPartitions(database, log)).stop();
  expect(await lastDay()).toBe(last);
});
