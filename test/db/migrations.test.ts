import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { openTestDatabase } from '../support/database.ts';

describe('a start', () => {
  it('knows a migrated database by the names of the files, and an older one by what it lacks', async () => {
    const database = await openTestDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();

    const none = await pendingMigrations(database.url);
    await client.query("delete from migrations where name like '%0001_workspaces'");
    const one = await pendingMigrations(database.url);
    await client.query('drop table migrations');
    const all = await pendingMigrations(database.url);

    expect(none).toEqual([]);
    expect(one).toEqual(['20261121_0001_workspaces']);
    expect(all).toEqual(migrations.map(({ name }) => name));
    await client.end();
    await database.close();
  });

  it('says of a database that is not there what PostgreSQL says, and makes nothing', async () => {
    const database = await openTestDatabase();
    const missing = new URL(database.url);
    missing.pathname = '/not_there';

    await expect(migrate(missing.href)).rejects.toMatchObject({ code: '3D000' });
    await database.close();
  });
});

describe('a migration that goes through all workspaces', () => {
  /** A workspace has a handful of numbers. */
  const SHORT = ['20261123_0078_held_numbers'];
  const source = (name: string): string =>
    readFileSync(new URL(`../../src/db/migrations/${name}.ts`, import.meta.url), 'utf8');
  const walks = /this\.addSql\(\s*inEachWorkspace\(/g;

  it('does nothing else, so that no table is locked all the while', () => {
    const walking = migrations.filter(({ name }) => source(name).includes('inEachWorkspace('));
    const locking = walking.filter(({ name }) =>
      source(name).replaceAll(walks, '').includes('addSql('),
    );

    expect(walking.length).toBeGreaterThan(4);
    expect(locking.map(({ name }) => name)).toEqual(SHORT);
  });
});
