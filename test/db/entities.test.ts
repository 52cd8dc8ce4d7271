import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { MikroORM } from '@mikro-orm/postgresql';
import { openOrm } from '../../src/db/orm.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let orm: MikroORM;

beforeAll(async () => {
  database = await openTestDatabase();
  orm = await openOrm(database.url, { max: 1 });
});

afterAll(async () => {
  await orm.close(true);
  await database.close();
});

interface Column {
  name: string;
  type: string;
  nullable: boolean;
}

async function columnsOf(table: string): Promise<Column[]> {
  return orm.em.fork().execute(
    `select column_name as name, udt_name as type, is_nullable = 'YES' as nullable
     from information_schema.columns where table_schema = 'public' and table_name = ? order by 1`,
    [table],
  );
}

/** The name PostgreSQL stores for what an entity declares: `timestamptz(0)`, `text[]`. */
const stored = (columnType: string): string => {
  const bare = columnType.replace(/\(\d+\)/, '');
  if (bare.endsWith('[]')) return `_${bare.slice(0, -2)}`;
  return { int: 'int4', boolean: 'bool' }[bare] ?? bare;
};

describe('the entities and the migrated schema', () => {
  it('agree on every column, its type and whether it may be null', async () => {
    for (const meta of orm.getMetadata().getAll().values()) {
      const expected = meta.props.map((property) => ({
        name: property.fieldNames[0] ?? '',
        type: stored(property.columnTypes[0] ?? ''),
        nullable: property.nullable === true,
      }));

      expect({ table: meta.tableName, columns: await columnsOf(meta.tableName) }).toEqual({
        table: meta.tableName,
        columns: expected.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      });
    }
  });

  it('are listed once each, every workspace record with the tenant filter', () => {
    const unfiltered = [...orm.getMetadata().getAll().values()]
      .filter((meta) => !Object.hasOwn(meta.filters, 'tenant'))
      .map((meta) => meta.className);

    expect(unfiltered).toEqual(['Plan']);
  });
});
