import { expect, it } from '@jest/globals';
import { asSystem } from '../../../src/db/database.ts';
import { operatedEndpoints } from '../../../src/webhooks/operated.ts';
import { deleteEndpoint } from '../../../src/webhooks/service.ts';
import { openOwnDatabase } from '../../support/database.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { opened } from '../../support/opened.ts';

const database = opened(openOwnDatabase);

it('operators are shown the endpoints that there are, oldest first, and none that was deleted', async () => {
  const { ctx, workspaceId: workspace } = await aWorkspace(database);
  const ids: string[] = [];
  for (const path of ['one', 'two', 'three'])
    ids.push((await anEndpoint(ctx, `https://hooks.example.com/${path}`)).id);
  const [one, two = '', three] = ids;
  await deleteEndpoint(ctx, two);

  const shown = await asSystem(database, (sql) => operatedEndpoints(sql, { workspace }));

  expect(shown.map(({ id }) => id)).toEqual([one, three]);
});
