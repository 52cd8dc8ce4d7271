import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { rollUpWorkspace } from '../../src/reports/rollup.ts';
import { reportRoutes } from '../../src/reports/routes.ts';
import { analyze } from '../support/analyzing.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { doorOf, type OpenDoor, serveApi } from '../support/http.ts';
import { rowsRead } from '../support/rows-read.ts';
import { pastOf } from './support/days.ts';

const NOW = new Date('2026-11-21T15:00:00Z');
const TOMORROW = new Date('2026-11-22T15:00:00Z');
/** A day that is not counted anew any more, and one that is. */
const SETTLED = '2026-11-05T15:00:00Z';
const OPEN = '2026-11-20T15:00:00Z';

let database: OwnDatabase;
let door: OpenDoor;
let ctx: Context;
let stays: string;
let goes: string;
beforeAll(async () => {
  database = await openOwnDatabase();
  const clock = { now: () => NOW, skewMs: 0 };
  door = doorOf(database, await serveApi(database, { routes: reportRoutes, clock }));
});
afterAll(() => door.close());

/** An automation wrote to the one who goes on both days; on the second a member answered. */
beforeEach(async () => {
  ({ ctx } = await aWorkspace(database, { now: NOW }));
  const numberId = (await aNumber(ctx)).id;
  const past = pastOf(database, ctx);
  const automationId = await past.automation('Boas-vindas');
  stays = await past.contact(SETTLED);
  goes = await past.contact(SETTLED);
  await past.conversation(SETTLED, numberId, stays);
  const conversationId = await past.conversation(SETTLED, numberId, goes);
  await past.say({ conversationId, at: SETTLED, source: 'automation', automationId });
  await past.say({ conversationId, at: OPEN, source: 'automation', automationId });
  await past.say({ conversationId, at: '2026-11-20T16:00:00Z', source: 'member' });
  await rollUp(NOW);
});

const rollUp = (now: Date) =>
  rollUpWorkspace(database, ctx.organizationId, { now, mayGoOn: () => true });

async function talks(): Promise<unknown> {
  const { key } = await anApiKey(ctx);
  const { body } = await door.api.call('GET', '/api/v1/reports/automation', { key });
  return { count: body.count, handed_over: body.handed_over };
}

describe('a conversation that a merge takes into another', () => {
  it('is one in the report, whichever of its days are counted anew', async () => {
    const before = await talks();

    await mergeContacts(ctx, stays, goes);

    const once = { count: 1, handed_over: 1 };
    expect([before, await talks()]).toEqual([once, once]);
    await rollUp(TOMORROW);
    expect(await talks()).toEqual(once);
  });

  it('is found among the days of a large workspace without reading the others', async () => {
    await transact(ctx, ({ sql }) =>
      sql.rows(
        `insert into report_conversation_days
         select organization_id, day, 'cnv_' || n, number_id, '', '', '', '{}', '{}', '{}', true, false, false, false, '', ''
         from report_conversation_days, generate_series(1, 2000) n where organization_id = $1`,
        [ctx.organizationId],
      ),
    );
    await analyze(database.url, 'report_conversation_days');

    const read = await transact({ ...ctx, em: ctx.em.fork() }, async (tx) => {
      await mergeContacts(tx, stays, goes);
      return rowsRead(tx.sql, ['report_conversation_days']);
    });

    expect(read).toBeLessThan(10);
  });
});
