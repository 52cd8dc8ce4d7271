import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Actor } from '../../src/access/actor.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { readSegment } from '../../src/segments/reading.ts';
import { withinTimeLimit } from '../../src/segments/time-limit.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { memberActor } from '../support/members.ts';

let database: OwnDatabase;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

describe('rules that take too long', () => {
  it('end after five seconds as segment_too_heavy, and the transaction around them goes on', async () => {
    const [code, rows] = await transact(ctx, async (tx) => {
      const refused = transact(tx, (inner) =>
        withinTimeLimit(inner.sql, () => inner.sql.rows('select pg_sleep(20)')),
      ).catch((error: { code: string }) => error.code);
      return [await refused, await tx.sql.rows('select 1 as one')];
    });

    expect(code).toBe('segment_too_heavy');
    expect(rows).toEqual([{ one: 1 }]);
  });

  it('leave the limit of the connection as it was', async () => {
    const limits = await inWorkspace(database, ctx.organizationId, async (sql) => {
      const during = await withinTimeLimit(sql, () =>
        sql.rows<{ value: string }>(`select current_setting('statement_timeout') as value`),
      );
      const after = await sql.rows<{ value: string }>(
        `select current_setting('statement_timeout') as value`,
      );
      return [during[0]?.value, after[0]?.value];
    });

    expect(limits).toEqual(['5s', '15s']);
  });

  it('are read as they were counted last, by those alone who see all that they ask about', async () => {
    await aContact(ctx);
    const { id } = await aSegment(ctx, {
      rules: { field: 'deal.status', op: 'has_none', value: ['open'] },
    });
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    // Whoever asks about deals waits for ever: as good as rules that take too long.
    await owner.query('begin; lock table deals in access exclusive mode');
    const read = (actor: Actor) =>
      inWorkspace(database, ctx.organizationId, (sql) => readSegment({ ...ctx, actor, sql }, id));

    const [all, some] = await Promise.all([
      read(ctx.actor),
      read({ ...memberActor(), visibility: 'assigned' }),
    ]);
    await owner.end();

    expect(all).toMatchObject({ count: 1, counted_at: ctx.now.toISOString() });
    expect(some).toMatchObject({ count: null, counted_at: null });
  });
});
