import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/db/migrate.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let files: TestDatabase;
let owner: pg.Client;

beforeAll(async () => {
  files = await openTestDatabase();
  owner = new pg.Client({ connectionString: files.url });
  await owner.connect();
});

afterAll(async () => {
  await owner.end();
  await files.close();
});

interface PrimaryKey {
  readonly table: string;
  readonly columns: string[];
}

/** Of every table whose records are found by workspace and id. */
async function workspaceKeys(): Promise<PrimaryKey[]> {
  const { rows } = await owner.query<PrimaryKey>(
    `select c.conrelid::regclass::text as table,
       array(select a.attname::text from unnest(c.conkey) k join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k) as columns
     from pg_constraint c
     where c.contype = 'p' and c.connamespace = 'public'::regnamespace
       and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'id')
       and exists (select from pg_attribute a where a.attrelid = c.conrelid and a.attname = 'organization_id' and a.attnum = c.conkey[1])`,
  );
  return rows;
}

/** Tables in which a record is not found by its id, but among all of its workspace. */
async function detours(): Promise<string[]> {
  const found: string[] = [];
  for (const { table, columns } of await workspaceKeys()) {
    const where = columns.map((column, i) => `${column} = $${i + 1}`).join(' and ');
    const { rows } = await owner.query<{ 'QUERY PLAN': string }>(
      `explain (generic_plan, costs off) select from only ${table} where ${where}`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    if (!/Index Cond: .*\bid = /.test(plan)) found.push(`${table}: ${plan}`);
  }
  return found;
}

describe('a new database, whose tables have no statistics yet', () => {
  it('never reads a whole workspace to find one record, nor to check a foreign key', async () => {
    expect((await workspaceKeys()).length).toBeGreaterThan(8);
    expect(await detours()).toEqual([]);
  });
});

/** Holds what VACUUM, ANALYZE and CREATE INDEX CONCURRENTLY hold. */
async function whileVacuumed(table: string, work: () => Promise<unknown>): Promise<void> {
  await owner.query(`begin; lock table ${table} in share update exclusive mode`);
  try {
    await work();
  } finally {
    await owner.query('rollback');
  }
}

describe('a database restored from a dump, which has no statistics', () => {
  /** Of every table and column, whoever had set them. */
  const CLEAR = `
do $$ declare c record; begin
  for c in select r.relname, a.attname from pg_class r join pg_attribute a on a.attrelid = r.oid
    where r.relnamespace = 'public'::regnamespace and r.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped
  loop perform pg_clear_attribute_stats('public', c.relname, c.attname, false); end loop;
end $$`;

  it('has again what is expected of a workspace once it was migrated, though no migration is missing', async () => {
    await owner.query(CLEAR);
    const restored = await detours();

    expect(await migrate(files.url)).toEqual([]);

    expect(restored).not.toEqual([]);
    expect(await detours()).toEqual([]);
  });

  it('is migrated though one of its tables is being vacuumed, and says which it left out', async () => {
    await owner.query(CLEAR);
    const left: string[] = [];
    await whileVacuumed('audit_entries', async () => {
      expect(await migrate(files.url, (tables) => left.push(...tables))).toEqual([]);
    });
    const without = await detours();

    await migrate(files.url);

    expect(left).toEqual(['audit_entries']);
    expect(without).toEqual([expect.stringContaining('audit_entries: ')]);
    expect(await detours()).toEqual([]);
  });

  it('waits for no table once it has them', async () => {
    const left: string[] = [];

    await whileVacuumed('audit_entries', () =>
      migrate(files.url, (tables) => left.push(...tables)),
    );

    expect(left).toEqual([]);
  });
});

describe('statistics', () => {
  it('are collected of no workspace, because one that grew since would pass for empty', async () => {
    const { rows } = await owner.query<{ table: string }>(
      `select c.relname as table from pg_class c
       join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id'
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
         and a.attstattarget is distinct from 0`,
    );

    expect(rows).toEqual([]);
  });
});
