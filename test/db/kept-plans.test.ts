import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { loadMessages } from '../../src/conversations/lane/checking.ts';
import { markSending, settle } from '../../src/conversations/lane/settling.ts';
import { applyStatuses } from '../../src/conversations/receiving/statuses.ts';
import { BY_INDEX, inWorkspace, ROW_BY_ROW } from '../../src/db/database.ts';
import type { Sql } from '../../src/db/sql.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsRead } from '../support/rows-read.ts';

const TABLES = ['messages', 'outgoing_messages', 'conversations', 'contacts'];
const TOKEN = 'worker';
const AT_ONCE = 20;
/** A message, its contact, its conversation and its place in the queue, a few times each. */
const ROWS_OF_EACH = 12;
/** As PostgreSQL does by itself, after a statement has run five times. */
const KEPT = '; set local plan_cache_mode = force_generic_plan';

let database: OwnDatabase;
let ctx: Context;
let numberId: string;
let taken = 0;

/** So many people with a message each that this process has taken from the queue. */
const TAKEN = `
with given as (select lpad(n::text, 8, '0') as id from generate_series($3::int + 1, $3::int + $4::int) n),
people as (
  insert into contacts (organization_id, id, name, phone, phone_key, origin, created_via, created_at, updated_at)
  select $1, 'con_' || id, 'Bia', '+551198' || id, '+551198' || id, 'import', 'import', now(), now() from given),
talks as (
  insert into conversations (organization_id, id, number_id, contact_id, opened_at, created_at, updated_at)
  select $1, 'cnv_' || id, $2, 'con_' || id, now(), now(), now() from given),
written as (
  insert into messages (organization_id, id, conversation_id, number_id, contact_id, direction, type, text, status, source, created_at)
  select $1, 'msg_' || id, 'cnv_' || id, $2, 'con_' || id, 'outbound', 'text', 'Oi', 'queued', 'reminder', now() from given)
insert into outgoing_messages (organization_id, message_id, number_id, conversation_id, claim_token, claimed_at, created_at)
select $1, 'msg_' || id, $2, 'cnv_' || id, $5, now(), now() from given`;

/** @returns the messages' ids */
async function take(messages: number): Promise<string[]> {
  const since = taken;
  taken += messages;
  await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows(TAKEN, [ctx.organizationId, numberId, since, messages, TOKEN]),
  );
  return Array.from(
    { length: messages },
    (_, i) => `msg_${String(since + i + 1).padStart(8, '0')}`,
  );
}

/** What the lane does with messages, each in a transaction of its own; tells how many rows each step read. */
async function send(ids: readonly string[]): Promise<Record<string, number>> {
  const { organizationId, now } = ctx;
  const read: Record<string, number> = {};
  const step = (name: string, settings: string, work: (sql: Sql) => Promise<unknown>) =>
    inWorkspace(
      database,
      organizationId,
      async (sql) => {
        const before = await rowsRead(sql, TABLES);
        await work(sql);
        read[name] = (await rowsRead(sql, TABLES)) - before;
      },
      settings + KEPT,
    );
  const request = { organizationId, token: TOKEN, now };
  const providerOf = (id: string) => `wamid.${id}`;
  const settlements = ids.map((id) => ({
    messageId: id,
    outcome: { status: 'sent' as const, providerId: providerOf(id) },
  }));
  const reports = ids.map((id) => ({
    correlation: id,
    providerId: providerOf(id),
    status: 'delivered' as const,
    at: new Date(),
    error: null,
  }));
  await step('reads', BY_INDEX, (sql) => loadMessages(sql, { ...request, ids }, now));
  await step('intends', BY_INDEX, (sql) => markSending(sql, request, ids));
  await step('settles', ROW_BY_ROW, (sql) => settle(sql, request, settlements));
  await step('hears', ROW_BY_ROW, (sql) => applyStatuses(sql, organizationId, numberId, reports));
  return read;
}

beforeAll(async () => {
  // One connection, which keeps the plans.
  database = await openOwnDatabase({ poolSize: 1 });
  ({ ctx } = await aWorkspace(database));
  ({ id: numberId } = await aNumber(ctx));
});

afterAll(() => database.close());

describe('plans that were made when a workspace had three messages', () => {
  it('read a few rows for each message when it has thousands', async () => {
    await send(await take(3));
    await take(3_000);

    const read = await send(await take(AT_ONCE));

    const delivered = await inWorkspace(database, ctx.organizationId, (sql) =>
      sql.rows("select id from messages where status = 'delivered'"),
    );
    expect(delivered).toHaveLength(3 + AT_ONCE);
    const detours = Object.entries(read).filter(([, rows]) => rows > AT_ONCE * ROWS_OF_EACH);
    expect(detours).toEqual([]);
  });
});

describe('plans, whose costs are overestimated', () => {
  it.each(['app', 'reads', 'system'] as const)('are not compiled in the pool %s', async (pool) => {
    const { rows } = await database[pool].query('show jit');

    expect(rows).toEqual([{ jit: 'off' }]);
  });

  it('are not compiled for records either', async () => {
    const rows = await database.orm.em.fork().execute('show jit');

    expect(rows).toEqual([{ jit: 'off' }]);
  });
});
