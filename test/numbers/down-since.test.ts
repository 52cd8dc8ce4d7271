import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { changeNumber } from '../../src/campaigns/states/number-changes.ts';
import type { Context } from '../../src/context.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { connectNumber } from '../../src/numbers/connecting.ts';
import { sendingNumber } from '../../src/numbers/sending.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aNumber, testKeyring } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: Database;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const FIRST = Date.UTC(2026, 10, 26, 8);
/** So many hours after eight o'clock. */
const at = (hours: number): Context => ({ ...ctx, now: new Date(FIRST + hours * 3_600_000) });

const downSince = async (id: string): Promise<Date | null | undefined> =>
  (
    await inWorkspace(database, ctx.organizationId, (sql) =>
      sendingNumber(sql, testKeyring, ctx.organizationId, id),
    )
  )?.downSince;

it('a number is down since it stopped sending, however often it was tried to pair it again', async () => {
  const { id } = await aNumber(at(0), { provider: 'paired' });
  const added = await downSince(id);
  await changeNumber(at(1), id, { cause: 'code_ready' });
  await changeNumber(at(2), id, { cause: 'paired' });
  const sending = await downSince(id);

  await changeNumber(at(3), id, { cause: 'logged_out' });
  const lost = await downSince(id);
  for (const hours of [4, 5]) {
    await connectNumber(at(hours), id, {}, testKeyring);
    await changeNumber(at(hours), id, { cause: 'codes_exhausted' });
  }
  await changeNumber(at(6), id, { cause: 'restricted' });
  const tried = await downSince(id);

  await connectNumber(at(7), id, {}, testKeyring);
  const back = await downSince(id);
  await changeNumber(at(8), id, { cause: 'logged_out' });
  const again = await downSince(id);

  expect([added, sending, lost, tried, back, again]).toEqual([
    at(0).now,
    null,
    at(3).now,
    at(3).now,
    null,
    at(8).now,
  ]);
});
