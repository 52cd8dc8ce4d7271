import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context, ReadContext } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { dealsOfContact, latestInStage, listDeals } from '../../src/pipelines/reading.ts';
import type { DealFilters } from '../../src/pipelines/schema.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { fillTables } from '../support/fill-tables.ts';

const DEALS = 30_000;

let database: OwnDatabase;
let ctx: Context;
let ownerId: string;
let pipeline: APipeline;
let contactId: string;
let strangerId: string;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx, ownerId } = await aWorkspace(database));
  pipeline = await aPipeline(ctx);
  contactId = (await aContact(ctx)).id;
  strangerId = (await aContact(ctx)).id;
  await fillTables(database, ctx.organizationId, (sql) =>
    sql.rows(
      `insert into deals (organization_id, id, pipeline_id, stage_id, contact_id, title, status, stage_entered_at, created_at, updated_at)
       select $1, 'dea_' || lpad(n::text, 26, '0'), $2, $3, $4, 'Bolo', 'won', now(), now(), now()
       from generate_series(1, ${DEALS}) n`,
      [ctx.organizationId, pipeline.id, pipeline.stages['Ganho'], contactId],
    ),
  );
  await analyze(database.url, 'deals');
});
afterAll(() => database.close());

/** How the statement of a list is run, and how many rows it looks at. */
function planOf(
  read: (reading: ReadContext) => Promise<unknown>,
): Promise<{ text: string; looked: number }> {
  return inWorkspace(database, ctx.organizationId, async (sql) => {
    let plan: unknown;
    const explaining: Sql = {
      rows: async <R>(text: string, params: readonly unknown[] = []): Promise<R[]> => {
        if (!text.includes('from deals d')) return sql.rows<R>(text, params);
        const rows = await sql.rows<{ 'QUERY PLAN': unknown }>(
          `explain (analyze, format json) ${text}`,
          params,
        );
        plan = rows[0]?.['QUERY PLAN'];
        return [];
      },
    };
    await read({ ...ctx, sql: explaining });
    const text = JSON.stringify(plan);
    const counts = [...text.matchAll(/"(?:Actual Rows|Rows Removed by Filter)":([\d.]+)/g)];
    return { text, looked: counts.reduce((sum, [, rows]) => sum + Number(rows), 0) };
  });
}

describe('a page of many deals', () => {
  it.each<[string, () => DealFilters]>([
    ['unfiltered', () => ({})],
    ['by a status that all have', () => ({ status: 'won' })],
    ['by a status that none has', () => ({ status: 'lost' })],
    ['by a stage that is empty', () => ({ stage_id: pipeline.stages['Novo'] })],
    ['by an owner of none', () => ({ owner_id: ownerId })],
    ['by a contact with all of them', () => ({ contact_id: contactId })],
    ['by a contact without any', () => ({ contact_id: strangerId })],
  ])('is read from an index, %s, and costs no more than a page', async (_, filters) => {
    const page = { limit: 50, after: null };
    const { text, looked } = await planOf((reading) =>
      listDeals(reading, pipeline.id, filters(), page),
    );

    expect(text).toContain('"Relation Name":"deals"');
    expect(text).not.toMatch(/"Seq Scan"[^{}]*"deals"/);
    expect(looked).toBeLessThan(1_000);
  });
});

it.each<[string, string, (reading: ReadContext) => Promise<unknown>]>([
  [
    'the latest of a stage',
    'deals_latest_in_stage',
    (reading) => latestInStage(reading, pipeline.stages['Ganho'] ?? '', 20),
  ],
  ['those of a contact', 'deals_of_contact', (reading) => dealsOfContact(reading, strangerId, 100)],
])('of many deals %s are read from the index %s', async (_, index, read) => {
  const { text, looked } = await planOf(read);

  expect(text).toContain(`"Index Name":"${index}"`);
  expect(looked).toBeLessThan(200);
});
