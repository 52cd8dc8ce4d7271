import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { withinTimeLimit } from '../../src/segments/time-limit.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: Database;
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
});
