import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { contactFilters } from '../../src/contacts/schema.ts';
import { listContacts } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { fillTables } from '../support/fill-tables.ts';
import { rowsOf } from '../support/rows-of.ts';

const PEOPLE = 30_000;

let database: OwnDatabase;
let ctx: Context;
let ownerId: string;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx, ownerId } = await aWorkspace(database));
  await fillTables(database, ctx.organizationId, (sql) =>
    sql.rows(
      `insert into contacts (organization_id, id, name, phone, phone_key, email, opted_out, owner_id, tags, origin, created_via, created_at, updated_at)
       select $1, 'con_01JD' || lpad(n::text, 22, '0'), 'Pessoa ' || case when n % 300 = 7 then 'João' else 'Ana' end,
         '+55119' || (80000000 + n), '+5511' || (80000000 + n), 'pessoa' || n || '@example.com', n % 50 = 0,
         case when n % 10 = 0 then $2 end, case when n % 5 = 0 then array['Novo'] when n % 5000 = 1 then array['VIP'] else '{}' end,
         case when n % 6000 = 3 then 'form' else 'import' end, 'import', now(),
         case when n < 20 then now() else now() - interval '10 days' end
       from generate_series(1, ${PEOPLE}) n`,
      [ctx.organizationId, ownerId],
    ),
  );
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('vacuum analyze contacts, contact_search, contact_tags');
  await owner.end();
});

afterAll(() => database.close());

/** Plans of every statement of a list, as they are run: by the app's role, under row level security. */
async function plansOf(sql: Sql, query: Record<string, unknown>): Promise<string> {
  const plans: unknown[] = [];
  const watching: Sql = {
    rows: async (text, params = [], name) => {
      plans.push(await sql.rows(`explain (format json, verbose) ${text}`, params));
      return sql.rows(text, params, name);
    },
  };
  const page = { limit: 50, after: null };
  await listContacts({ ...ctx, sql: watching }, contactFilters.parse(query), page);
  return JSON.stringify(plans);
}

const scans = async (sql: Sql): Promise<number> => {
  await sql.rows('select pg_stat_force_next_flush()');
  const [row] = await sql.rows<{ n: number }>(
    `select sum(pg_stat_get_xact_numscans(c)) as n from unnest(array['contacts', 'contact_search', 'contact_tags']::regclass[]) c`,
  );
  return Number(row?.n);
};

describe('statistics of contacts', () => {
  it('are collected without computing the grams of each contact', async () => {
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    const { rows } = await owner.query(
      `select last_analyze is not null as collected,
         array(select attname::text from pg_stats where tablename = 'contact_search_grams') as of_grams
       from pg_stat_user_tables where relname = 'contact_search'`,
    );
    await owner.end();

    expect(rows).toEqual([{ collected: true, of_grams: [] }]);
  });
});

describe('a list of contacts', () => {
  it.each([
    {},
    { q: 'ana' },
    { q: 'joao' },
    { q: 'pessoa29111@' },
    { q: '80029111' },
    { q: 'nobody at all' },
    { q: 'zq' },
    { phone: '+5511980029111' },
    { phone: '+5511970000000' },
    { email: 'pessoa29111@example.com' },
    { email: 'nobody@example.com' },
    { tag: 'novo' },
    { tag: 'vip' },
    { tag: 'nobody' },
    { opted_out: 'true' },
    { opted_out: 'false' },
    { origin: 'import' },
    { origin: 'form' },
    { origin: 'campaign' },
    { updated_since: '2020-01-01T00:00:00Z' },
    { updated_since: new Date(Date.now() - 3_600_000).toISOString() },
    { updated_since: '2100-01-01T00:00:00Z' },
    { origin: 'form', opted_out: 'false', q: 'ana' },
    { tag: 'vip', updated_since: '2020-01-01T00:00:00Z' },
  ])('filtered by %j never reads the table from end to end', async (query) => {
    const [plans, read] = await inWorkspace(database, ctx.organizationId, async (sql) => {
      const before = await scans(sql);
      return [await plansOf(sql, query), (await scans(sql)) - before];
    });

    expect(plans).not.toContain('Seq Scan');
    expect(read).toBe(0);
  });

  it('filtered by an owner reads the owner’s alone', async () => {
    const plans = await inWorkspace(database, ctx.organizationId, (sql) =>
      plansOf(sql, { owner_id: ownerId }),
    );

    expect(plans).toContain('contacts_owner');
  });

  it('finds by a part of a name what only that name has, past the newest', async () => {
    const found = await inWorkspace(database, ctx.organizationId, (sql) =>
      listContacts({ ...ctx, sql }, contactFilters.parse({ q: 'joão' }), {
        limit: 50,
        after: null,
      }),
    );

    const ns = found.data.map(({ phone }) => Number(phone?.slice(-8)) - 80_000_000);
    expect(ns).toHaveLength(50);
    expect(ns.every((n) => n % 300 === 7)).toBe(true);
    expect(ns).toEqual(ns.toSorted((a, b) => b - a));
  });

  it('searched by one workspace says nothing of another', async () => {
    const other = await aWorkspace(database);

    const ids = await rowsOf(other.ctx, 'select wms.find_contacts($1, null, 10)', ['ana']);

    expect(ids).toEqual([]);
    expect(
      (await database.app.query('select wms.find_contacts($1, null, 10)', ['ana'])).rows,
    ).toEqual([]);
  });
});
