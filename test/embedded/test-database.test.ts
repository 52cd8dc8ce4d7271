import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { openTestDatabase } from '../support/database.ts';

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('the database of a test file', () => {
  it('belongs to a role that row level security binds', async () => {
    const database = await openTestDatabase();

    const roles = await ask(
      database.url,
      'select rolname, rolsuper, rolbypassrls from pg_roles where rolname = current_user',
    );
    await database.close();

    expect(roles).toEqual([{ rolname: 'wms_owner', rolsuper: false, rolbypassrls: false }]);
  });

  it('shares nothing with the database of another file, and goes when it is closed', async () => {
    const [one, other] = await Promise.all([openTestDatabase(), openTestDatabase()]);

    await ask(one.url, 'create table mark (id int)');
    const seen = await ask(other.url, "select 1 from pg_class where relname = 'mark'");
    await Promise.all([one.close(), other.close()]);

    expect(seen).toEqual([]);
    await expect(ask(one.url, 'select 1')).rejects.toThrow(/does not exist/);
  });
});
