import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { numbersReport } from '../../src/reports/numbers.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { rowsOf } from '../support/rows-of.ts';
import { rowsRead } from '../support/rows-read.ts';

const PEOPLE = 3_000;

let database: OwnDatabase;
let ctx: Context;

const OTHERS = `
insert into contacts (organization_id, id, name, origin, created_via, created_at, updated_at)
select $1, 'con_' || lpad(n::text, 26, '0'), 'Bia', 'import', 'import', now(), now() from generate_series(1, ${PEOPLE}) n`;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 3 });
  ({ ctx } = await aWorkspace(database));
  const [{ id: numberId }, { id: contactId }] = await Promise.all([aNumber(ctx), aContact(ctx)]);
  await rowsOf(ctx, OTHERS, [ctx.organizationId]);
  const pair = { numberId, contactId };
  const conversationId = await aConversation(ctx, pair);
  await someMessages(ctx, { ...pair, conversationId, status: 'delivered' });
  await analyze(database.url, 'contacts', 'conversations', 'messages');
});
afterAll(() => database.close());

it('a report of today reads the people who were written to, and nobody else', async () => {
  const { report, read } = await inWorkspace(database, ctx.organizationId, async (sql) => {
    const before = await rowsRead(sql, ['contacts']);
    const numbers = await numbersReport({ ...ctx, sql }, { period: 'today' });
    return { report: numbers, read: (await rowsRead(sql, ['contacts'])) - before };
  });

  expect(report).toMatchObject({ attempted: 1, delivered: 1 });
  expect(read).toBeLessThan(50);
});
