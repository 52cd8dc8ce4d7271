import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { asSystem, type Database } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import type { Quota } from '../../src/http/callers/rate-limit.ts';
import { newId } from '../../src/ids.ts';
import { openOwnDatabase } from '../support/database.ts';

let database: Database;

beforeAll(async () => {
  database = await openOwnDatabase();
});
afterAll(() => database.close());

/** Waits until the database's second is young: what follows happens within it. */
const youngSecond = (sql: Sql): Promise<unknown> =>
  sql.rows(
    `select pg_sleep(case when f > 0.5 then 1.02 - f else 0 end)
     from (select extract(epoch from clock_timestamp())::numeric % 1 as f) t`,
  );

/** Asks for one request when `used` were made `age` seconds ago, all within one second. */
async function afterBurst(age: number, used: number): Promise<Quota | undefined> {
  const credential = newId('key');
  return asSystem(database, async (sql) => {
    await youngSecond(sql);
    await sql.rows(
      `insert into rate_windows
       select $1, s, $3::int, array(select (case when i = 1 + s % 61 then $3::int else 0 end)::smallint
                                 from generate_series(1, 61) i)
       from (select floor(extract(epoch from clock_timestamp()))::bigint - $2::int as s) t`,
      [credential, age, used],
    );
    const rows = await sql.rows<Quota>('select * from wms.take_request($1, 600)', [credential]);
    return rows[0];
  });
}

describe('600 requests in one second', () => {
  it.each([0, 1, 30, 59, 60])('leave none %i seconds later', async (age) => {
    expect(await afterBurst(age, 600)).toEqual({ allowed: false, remaining: 0, reset_s: 61 - age });
  });

  it.each([61, 62, 3_600])('are forgotten %i seconds later', async (age) => {
    expect(await afterBurst(age, 600)).toMatchObject({ allowed: true, remaining: 599 });
  });
});

describe('590 requests', () => {
  it('refuse nothing yet', async () => {
    expect(await afterBurst(30, 590)).toMatchObject({ allowed: true, remaining: 9 });
  });
});

describe('a clock that is set back', () => {
  it('gives nothing twice, and takes nothing away', async () => {
    expect(await afterBurst(-40, 600)).toMatchObject({ allowed: false, remaining: 0 });
    expect(await afterBurst(-40, 10)).toMatchObject({ allowed: true, remaining: 589 });
  });
});
