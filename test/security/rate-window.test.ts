import { describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { first, type Sql } from '../../src/db/sql.ts';
import type { Quota } from '../../src/http/callers/rate-limit.ts';
import { newId } from '../../src/ids.ts';
import { openOwnDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

/** The database's second. */
async function second(sql: Sql): Promise<number | undefined> {
  const text = 'select floor(extract(epoch from clock_timestamp()))::int as now';
  return (await first<{ now: number }>(sql, text))?.now;
}

/** Asks for one request when `used` were made `age` seconds ago, all within one second. */
async function afterBurst(age: number, used: number): Promise<Quota | null> {
  const credential = newId('key');
  const [quota, isSame] = await asSystem(database, async (sql) => {
    const now = await second(sql);
    await sql.rows(
      `insert into rate_windows
       select $1, s, $3::int, array(select (case when i = 1 + s % 61 then $3::int else 0 end)::smallint
                                 from generate_series(1, 61) i)
       from (select $2::bigint as s) t`,
      [credential, (now ?? 0) - age, used],
    );
    const text = 'select * from wms.take_request($1, 600)';
    const quota = await first<Quota>(sql, text, [credential]);
    return [quota, (await second(sql)) === now];
  });
  return isSame ? quota : afterBurst(age, used);
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
