import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { openShell, type Said, type Shell } from '../support/shell.ts';

let shell: Shell;
let numberId: string;
beforeAll(async () => {
  shell = await openShell();
  ({ id: numberId } = await aNumber(shell.ctx));
});
afterAll(() => shell.close());

const wms = (...args: string[]): Promise<Said> => shell.wms('group', ...args);
const add = (providerId: string, name: string): Promise<Said> =>
  wms('add', '--number', numberId, '--provider-id', providerId, '--name', name);

it('wms group list tells the id by which a group without a name is named', async () => {
  const { json: family } = await add('5511987654321-1600000000@g.us', 'Família');
  await inWorkspace(shell.database, shell.ctx.organizationId, (sql) =>
    sql.rows(`update groups set name = '' where organization_id = $1`, [shell.ctx.organizationId]),
  );

  const { json: unnamed } = await wms('list');

  expect(unnamed.groups).toEqual([
    {
      id: family.group_id,
      name: '',
      number_id: numberId,
      provider_id: '5511987654321-1600000000@g.us',
      left_at: null,
    },
  ]);
  await add(unnamed.groups[0].provider_id, 'Família Souza');
  expect((await wms('list')).json.groups).toMatchObject([
    { id: family.group_id, name: 'Família Souza' },
  ]);
});
