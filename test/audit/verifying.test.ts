import { expect, it } from '@jest/globals';
import { audit } from '../../src/audit/service.ts';
import { verifyLog } from '../../src/audit/verify.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

it('an audit log is whole also while somebody writes into it: what came since is not missed', async () => {
  const { ctx, workspaceId } = await aWorkspace(database);
  const before = await verifyLog(database, workspaceId);

  const { verified } = await inWorkspace(database, workspaceId, async (sql) => {
    // It reads the entries, and only then their head.
    await sql.rows('lock table audit_heads in access exclusive mode', []);
    const verified = verifyLog(database, workspaceId);
    await untilWaiting(database.app);
    const target = { type: 'test', id: 't', name: '' };
    await audit({ ...ctx, sql }, { action: 'test.done', target });
    return { verified };
  });

  expect(await verified).toEqual(before);
  expect(before.brokenAt).toBeNull();
});
