import { describe, expect, it } from '@jest/globals';
import { sqlOverEm } from '../../src/db/database.ts';
import { openOwnDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';

const database = opened(() => openOwnDatabase({ poolSize: 1 }));

const PREPARED =
  'select name, statement, generic_plans + custom_plans as runs from pg_prepared_statements';

interface Prepared {
  readonly name: string;
  readonly statement: string;
  readonly runs: string | number;
}

describe('plain SQL within an entity manager', () => {
  it('prepares a statement that has a name, once for the connection', async () => {
    const sql = sqlOverEm(database.orm.em.fork());
    for (const n of [1, 2, 3])
      expect(await sql.rows('select $1::int as n', [n], 'a-number')).toEqual([{ n }]);
    const prepared = await sql.rows<Prepared>(PREPARED);
    expect(prepared.map(({ name, statement }) => ({ name, statement }))).toEqual([
      { name: 'a-number', statement: 'select $1::int as n' },
    ]);
    expect(Number(prepared[0]?.runs)).toBe(3);
  });

  it('prepares none without a name', async () => {
    const sql = sqlOverEm(database.orm.em.fork());
    await sql.rows('select $1::int as m', [1]);
    const prepared = await sql.rows<Prepared>(PREPARED);
    expect(prepared.map(({ name }) => name)).not.toContain('select $1::int as m');
    expect(prepared).toHaveLength(1);
  });
});
