import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { portionOf } from '../../src/campaigns/audience/portions.ts';
import { reachOf } from '../../src/campaigns/audience/reach.ts';
import { findContacts } from '../../src/contacts/finding.ts';
import type { ContactFilters } from '../../src/contacts/schema.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { countMatching, selectMatching } from '../../src/segments/queries.ts';
import type { Rules } from '../../src/segments/rules.ts';
import { createSegment, momentOf } from '../../src/segments/service.ts';
import { withinTimeLimit } from '../../src/segments/time-limit.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

/** More than are looked up by their tag first (`src/contacts/finding.ts`). */
const PEOPLE = 2_500;
/** Each statement needs a contact, its tags and its conversation a few times; a join of all with all needs thousands. */
const ROWS_OF_EACH = 12;

let database: OwnDatabase;
let ctx: Context;

const GROWN = `
with people as (
  insert into contacts (organization_id, id, name, phone, phone_key, tags, origin, created_via, created_at, updated_at)
  select $1, 'con_' || n, 'Bia ' || n, '+55119' || (70000000 + n), '+55119' || (70000000 + n), '{customer,newsletter}',
    'import', 'import', now(), now()
  from generate_series(1, $3::int) n returning id)
insert into conversations (organization_id, id, number_id, contact_id, opened_at, last_message_at, created_at, updated_at)
select $1, 'cnv_' || substr(id, 5), $2, id, now(), now(), now(), now() from people`;

async function aShop(people: number): Promise<Context> {
  const { ctx: shop } = await aWorkspace(database);
  const { id: numberId } = await aNumber(shop);
  await inWorkspace(database, shop.organizationId, (sql) =>
    sql.rows(GROWN, [shop.organizationId, numberId, people]),
  );
  return { ...shop, now: new Date() };
}

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  for (const table of ['contacts', 'contact_tags', 'conversations'])
    await owner.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await aShop(300);
  await owner.query('analyze contacts; analyze contact_tags; analyze conversations');
  await owner.end();
  ctx = await aShop(PEOPLE);
});

afterAll(() => database.close());

const readBy = (sql: Sql): Promise<number> =>
  rowsRead(sql, ['contacts', 'contact_tags', 'conversations']);

/** What work found, and how many rows it read for each contact of the workspace. */
async function reading<T>(
  work: (tx: Pick<Context, 'sql' | 'organizationId' | 'now'>) => Promise<T>,
): Promise<{ found: T; rowsOfEach: number }> {
  const { organizationId, now } = ctx;
  return inWorkspace(database, organizationId, async (sql) => {
    const before = await readBy(sql);
    const found = await work({ sql, organizationId, now });
    return { found, rowsOfEach: ((await readBy(sql)) - before) / PEOPLE };
  });
}

const TAGGED: Rules = { field: 'tag', op: 'has_any', value: ['newsletter'] };
const TALKING: Rules = { field: 'conversation.status', op: 'eq', value: 'open' };

const RULES: [string, Rules, number][] = [
  ['a tag', TAGGED, PEOPLE],
  ['two tags', { field: 'tag', op: 'has_all', value: ['customer', 'newsletter'] }, PEOPLE],
  ['not a tag', { field: 'tag', op: 'has_none', value: ['vip'] }, PEOPLE],
  ['a tag and a conversation', { all: [TAGGED, TALKING] }, PEOPLE],
  ['a tag or a conversation', { any: [TAGGED, TALKING] }, PEOPLE],
  ['a tag that nobody has', { field: 'tag', op: 'has_any', value: ['vip'] }, 0],
];

describe('a workspace that has grown since the last statistics', () => {
  it.each(RULES)('counts its contacts with %s in one pass', async (_, rules, matching) => {
    const { found, rowsOfEach } = await reading(async (tx) =>
      withinTimeLimit(tx.sql, async () => countMatching(tx, rules, await momentOf(tx))),
    );

    expect(found).toBe(matching);
    expect(rowsOfEach).toBeLessThan(ROWS_OF_EACH);
  });

  it.each(RULES)('shows some of its contacts with %s in one pass', async (_, rules, matching) => {
    const page = { limit: 10, after: null };

    const { found, rowsOfEach } = await reading(async (tx) =>
      withinTimeLimit(tx.sql, async () => selectMatching(tx, rules, await momentOf(tx), page)),
    );

    expect(found).toHaveLength(Math.min(10, matching));
    expect(rowsOfEach).toBeLessThan(ROWS_OF_EACH);
  });

  it.each(RULES)('writes down an audience with %s in one pass', async (name, rules, matching) => {
    const segment = await createSegment(ctx, { name, rules });
    const target = 'segment' as const;
    const aim = { target, segment_id: segment.id, pipeline_id: null, stage_ids: [] };
    const campaign = {
      id: 'cmp_1',
      target,
      number_id: null,
      text: 'Oi',
      window24h: false,
      started_at: new Date(),
      total: 0,
      contact_ids: [],
      size: 0,
      group_ids: [],
      frozen_through: null,
    };

    const { found, rowsOfEach } = await reading(async (tx) => {
      const reached = await reachOf(tx, aim);
      const asked = { campaign, reached, cap: null, now: tx.now };
      return portionOf(tx.sql, tx.organizationId, asked);
    });

    // A portion are the first 2,000 contacts.
    expect(found.assessed).toHaveLength(Math.min(2_000, matching));
    expect(rowsOfEach).toBeLessThan(ROWS_OF_EACH);
  });

  const LISTS: [ContactFilters, number][] = [
    [{ tag: 'newsletter' }, 51],
    [{ tag: 'vip' }, 0],
    [{ tag: 'newsletter', opted_out: false }, 51],
    [{ tag: 'newsletter', opted_out: true }, 0],
    [{ tag: 'vip', opted_out: false }, 0],
    [{ tag: 'vip', origin: 'import' }, 0],
    [{ tag: 'vip', updated_since: '1970-01-01T00:00:00Z' }, 0],
    [{ tag: 'newsletter', q: 'Bia 2499' }, 1],
  ];

  it.each(LISTS)('lists its contacts with %j in one pass', async (filters, matching) => {
    const { found, rowsOfEach } = await reading((tx) =>
      findContacts(tx, filters, { limit: 50, after: null }),
    );

    expect(found).toHaveLength(matching);
    expect(rowsOfEach).toBeLessThan(ROWS_OF_EACH);
  });
});
