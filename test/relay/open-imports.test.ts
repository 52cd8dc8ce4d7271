import { expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { createReconciler } from '../../src/relay/reconciler.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

const IMPORT = `
  insert into contact_imports (organization_id, id, file_name, status, total, created_by, finished_at, created_at)
  values ($1, $2, 'clientes.csv', $3, 1, '{}', case when $3 in ('done', 'cancelled') then now() end, now() + $4::interval)`;

it('the reconciler asks for every import that is not over, and for no other', async () => {
  const { workspaceId } = await aWorkspace(database);
  const add = (id: string, status: string, at = '-1 minute') =>
    inWorkspace(database, workspaceId, (sql) => sql.rows(IMPORT, [workspaceId, id, status, at]));
  await add('imp_a', 'pending');
  await add('imp_b', 'running');
  await add('imp_c', 'done');
  await add('imp_d', 'cancelled');
  // Just begun, however long this test takes.
  await add('imp_e', 'pending', '1 minute');
  const asked: string[] = [];
  const perform = async ({ workflowId }: { workflowId: string }): Promise<void> => {
    asked.push(workflowId);
  };

  await createReconciler({ database, calls: { perform } })();

  expect(asked.toSorted()).toEqual(['import:imp_a', 'import:imp_b']);
});
