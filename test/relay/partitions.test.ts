import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { askAll } from '../../src/http/serving/health.ts';
import { createLog } from '../../src/log.ts';
import { probes, type Readiness } from '../../src/readiness.ts';
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

describe("without tomorrow's partitions, as after a backup of last week", () => {
  const parts = (work: Readiness['work']): Readiness => ({
    database,
    clock: { now: () => new Date(), skewMs: 0, stop: () => {} },
    temporal: { address: '127.0.0.1:1', namespace: 'default' },
    work,
  });
  const required = async (work: Readiness['work']): Promise<string[]> => {
    const { checks } = await askAll(probes(parts(work)));
    return checks.filter((check) => check.required && !check.ok).map(({ name }) => name);
  };
  const starting = { temporal: null, relay: null, worker: null };

  it('an api is ready and a worker is not, until a worker or `wms migrate` has made them', async () => {
    const { rows } = await owner.query<{ name: string }>(
      "select to_char((now() at time zone 'UTC')::date + 1, '\"events_\"YYYYMMDD') as name",
    );
    await owner.query(`drop table ${rows[0]?.name}`);
    const api = await required(null);
    const worker = await required(starting);
    await migrate(database.url);

    expect(api).toEqual([]);
    expect(worker).toEqual(['partitions', 'temporal', 'relay', 'worker']);
    expect(await required(starting)).toEqual(['temporal', 'relay', 'worker']);
  });
});
