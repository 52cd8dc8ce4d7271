import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { openOwnDatabase, statementsWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { eventually } from '../support/waiting.ts';

let database: Database;
beforeAll(async () => {
  database = await openOwnDatabase();
});
afterAll(() => database.close());

it('what counts against a plan that is just being changed counts against the new one', async () => {
  const { ctx } = await aWorkspace(database, { plan: 'essencial' });

  const { created } = await transact(ctx, async (tx) => {
    await setPlan(tx, 'escala');
    const created = aContact(ctx);
    await eventually(async () => (await statementsWaiting(database.app)) > 0);
    return { created };
  });

  expect(await created).toMatchObject({ id: expect.stringMatching(/^con_/) });
});
