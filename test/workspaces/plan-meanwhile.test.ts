import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

it('what counts against a plan that is just being changed counts against the new one', async () => {
  const { ctx } = await aWorkspace(database, { plan: 'essencial' });

  const { created } = await transact(ctx, async (tx) => {
    await setPlan(tx, 'escala');
    const created = aContact(ctx);
    await untilWaiting(database.app);
    return { created };
  });

  expect(await created).toMatchObject({ id: expect.stringMatching(/^con_/) });
});

it('of two changes at once the log says from which plan each was', async () => {
  const { ctx } = await aWorkspace(database, { plan: 'essencial' });

  const { second } = await transact(ctx, async (tx) => {
    await setPlan(tx, 'escala');
    const second = setPlan({ ...ctx, em: ctx.em.fork() }, 'profissional');
    await untilWaiting(database.app);
    return { second };
  });
  await second;

  const log =
    "select changes from audit_entries where action = 'workspace.plan_changed' order by seq";
  expect(await rowsOf(ctx, log)).toEqual([
    { changes: [{ field: 'plan', from: 'essencial', to: 'escala' }] },
    { changes: [{ field: 'plan', from: 'escala', to: 'profissional' }] },
  ]);
});
