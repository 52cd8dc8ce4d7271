import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import type { RemoteTemplate } from '../../src/gateway/port.ts';
import { syncDueTemplates } from '../../src/templates/sync.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: Database;
beforeAll(async () => {
  database = await openOwnDatabase();
});
afterAll(() => database.close());

const rows = <R>(ctx: Context, text: string, params: readonly unknown[]): Promise<R[]> =>
  inWorkspace(database, ctx.organizationId, (sql) => sql.rows<R>(text, params));

const OI: RemoteTemplate = {
  ...{ name: 'oi', language: 'pt_BR', status: 'APPROVED', category: 'UTILITY' },
  components: [],
};
const sync = () =>
  syncDueTemplates({
    ...{ database, keyring: testKeyring, clock: { now: () => new Date(), skewMs: 0 } },
    gateway: { templates: () => Promise.resolve([OI]) },
  });

it('The sync of templates does not stop at numbers without a token', async () => {
  const { ctx } = await aWorkspace(database);
  const { id } = await aNumber(ctx);
  await rows(
    ctx,
    `insert into template_syncs (organization_id, number_id, due_at) values ($1, $2, now() - interval '1 hour')`,
    [ctx.organizationId, id],
  );
  // Those that were never read come first.
  for (let n = 1; n <= 20; n += 1) {
    const account = { phoneNumberId: `99${n}`, businessAccountId: `88${n}` };
    const { ctx: other } = await aWorkspace(database);
    await aNumber(other, { provider: 'cloud_api', ...account });
  }

  const first = await sync();
  const second = await sync();
  const third = await sync();

  expect([first.more, first.failures.length]).toEqual([true, 20]);
  expect([second.more, second.failures.length]).toEqual([false, 0]);
  expect([third.more, third.failures.length]).toEqual([false, 0]);
  expect(await rows(ctx, 'select name from templates', [])).toEqual([{ name: 'oi' }]);
});
