import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { setPlan } from '../../src/workspaces/service.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

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
