import { expect, it } from '@jest/globals';
import type pg from 'pg';
import { givenUp, retryGivenUp } from '../../src/inbound/given-up.ts';
import { openOwnDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

/** Of two days, most of them taken in. */
const KEPT = `insert into inbound_webhooks (sha256, body, processed_at, tries, error)
  select sha256(n::text::bytea), '{}', now(), case when n % 1000 = 0 then 5 else 0 end, 'internal'
  from generate_series(1, 5000) n`;

const READ = `select sum(seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_xact_user_tables
  where relname = 'inbound_webhooks'`;

it.each([
  ['lists', async (pool: pg.Pool) => (await givenUp(pool)).length],
  ['retries', retryGivenUp],
])('%s what was given up without reading what was taken in', async (_, work) => {
  await database.system.query(KEPT);
  const client = await database.system.connect();
  await client.query('begin');

  const read = () => client.query<{ rows: number }>(READ).then(({ rows: [row] }) => row?.rows ?? 0);
  const before = await read();
  const found = await work(client as unknown as pg.Pool);
  const after = await read();
  await client.query('rollback');
  client.release();
  await database.system.query('delete from inbound_webhooks');

  expect(found).toBe(5);
  expect(after - before).toBeLessThan(20);
});
