import { expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { changeSettings, readSettings } from '../../src/workspaces/settings.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

it('Two people change different settings of a workspace at the same time, and neither is lost', async () => {
  const { ctx } = await aWorkspace(database);

  const { second } = await transact(ctx, async (tx) => {
    await changeSettings(tx, { name: 'Padaria Boreal' });
    const second = changeSettings(ctx, { idle_close_hours: 720 });
    await untilWaiting(database.app);
    return { second };
  });

  expect(await second).toMatchObject({ name: 'Padaria Boreal', idle_close_hours: 720 });
  expect(await transact(ctx, readSettings)).toEqual(await second);
});

it('Settings of a workspace that stay as they are leave no entry in the log', async () => {
  const { ctx } = await aWorkspace(database);

  await changeSettings(ctx, await transact(ctx, readSettings));

  const log = "select 1 from audit_entries where action = 'workspace.updated'";
  expect(await rowsOf(ctx, log)).toEqual([]);
});

it('The name of a workspace has 80 characters at most', async () => {
  const { ctx } = await aWorkspace(database);

  expect((await changeSettings(ctx, { name: 'a'.repeat(80) })).name).toHaveLength(80);
  await expect(changeSettings(ctx, { name: 'a'.repeat(81) })).rejects.toMatchObject({
    details: [{ path: 'name', limit: 80 }],
  });
});
