import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import type { Rules } from '../../src/segments/rules.ts';
import { previewSegment } from '../../src/segments/service.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';
import { rowsRead } from '../support/rows-read.ts';

const TABLES = ['contacts', 'contact_tags'];
const PEOPLE = 4_000;
const FEW = 3;
/** A few contacts and their tags, a few times each; one pass over the workspace is thousands. */
const ROWS = 100;

let database: OwnDatabase;
let ctx: Context;

const PEOPLE_WITH_TAGS = `
insert into contacts (organization_id, id, name, tags, origin, created_via, created_at, updated_at)
select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia ' || n, case when n <= ${FEW} then '{Customer,VIP}' else '{Customer}' end::text[],
  'import', 'import', now(), now() from generate_series(1, ${PEOPLE}) n`;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  await rowsOf(ctx, PEOPLE_WITH_TAGS, [ctx.organizationId]);
  await analyze(database.url, 'contacts', 'contact_tags');
});

afterAll(() => database.close());

/** What a preview shows, and how many rows it reads. */
const preview = (rules: Rules) =>
  transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
    const before = await rowsRead(tx.sql, TABLES);
    const { count, sample } = await previewSegment(tx, rules);
    return { count, shown: sample.length, read: (await rowsRead(tx.sql, TABLES)) - before };
  });

const RARE: [string, Rules, number][] = [
  ['a tag', { field: 'tag', op: 'has_any', value: ['vip'] }, FEW],
  ['one tag of two', { field: 'tag', op: 'in', value: ['vip', 'nobody'] }, FEW],
  ['a tag with blanks around it', { field: 'tag', op: 'has_all', value: [' vip'] }, FEW],
  ['exactly a tag', { field: 'tag', op: 'eq', value: 'Vip ' }, FEW],
  [
    'a tag that everybody has and one that few have',
    { field: 'tag', op: 'has_all', value: ['customer', 'vip'] },
    FEW,
  ],
  ['a tag that nobody has', { field: 'tag', op: 'has_any', value: ['nobody'] }, 0],
];

describe('a segment that few of many contacts are in', () => {
  it.each(RARE)('is found by its tags alone: %s', async (_, rules, matching) => {
    const { read, ...found } = await preview(rules);

    expect(found).toEqual({ count: matching, shown: matching });
    expect(read).toBeLessThan(ROWS);
  });
});

describe('a segment that only reading every contact finds', () => {
  it.each([
    ['nobody', 'Bia 0', 0],
    ['the oldest of all', 'Bia 1', 1],
    ['the newest of all', `Bia ${PEOPLE}`, 1],
  ])('is read once, not again for its sample: %s', async (_, value, matching) => {
    const { read, ...found } = await preview({ field: 'name', op: 'eq', value });

    expect(found).toEqual({ count: matching, shown: matching });
    expect(read).toBeLessThan(PEOPLE + ROWS);
  });
});

describe('letters beyond ASCII', () => {
  // `lower` of PostgreSQL and of JavaScript differ in `İ`, and `ß` has no other case than itself.
  it.each([
    ['İzmir', 'İZMİR', 1],
    ['Straße', 'STRAßE', 1],
    ['Straße', 'STRASSE', 0],
    ['Ação', 'AÇÃO', 1],
  ])('are compared as the tag was stored: %s, asked for as %s', async (tag, asked, matching) => {
    const { ctx: other } = await aWorkspace(database);
    await aContact(other, { tags: [tag, 'Customer'] });

    const found = await Promise.all(
      (['has_any', 'has_all', 'in'] as const).map((op) =>
        previewSegment({ ...other, em: other.em.fork() }, { field: 'tag', op, value: [asked] }),
      ),
    );

    expect(found.map(({ count }) => count)).toEqual([matching, matching, matching]);
  });
});
