import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openShell, type Shell } from '../support/shell.ts';

let shell: Shell;
beforeAll(async () => {
  shell = await openShell();
});
afterAll(() => shell.close());

const add = (...given: string[]) =>
  shell.wms('number', 'add', '--phone', '+5511987654321', '--name', ...given);

it('leads the operator from a workspace to a connected number', async () => {
  const { organizationId } = shell.ctx;
  const workspaces = await shell.wmsAnywhere('workspace', 'list', '--json');
  const added = await add('Vendas', '--provider', 'cloud_api');
  const { number_id: id, status, next } = added.json;
  const files = ['--access-token-file', shell.file('EAAG')];
  const connected = await shell.wms('number', 'connect', id, '--phone-number-id', '1234', ...files);
  const sandbox = await shell.wmsInWords(
    ...['number', 'add', '--name', 'Teste', '--phone', '+5511987654322', '--provider', 'sandbox'],
  );
  const listed = await shell.wmsInWords('number', 'list');

  expect(workspaces.json).toEqual([
    expect.objectContaining({ workspace_id: organizationId, name: expect.any(String) }),
  ]);
  expect([status, next]).toEqual([
    'provisioning',
    `wms number connect ${id} --workspace ${organizationId} --phone-number-id <id> --access-token-file <file>`,
  ]);
  expect(connected.json).toEqual({ number_id: id, status: 'connected' });
  expect(sandbox.out).toMatch(/^status +connected$/m);
  expect(sandbox.out).not.toContain('next');
  expect(listed.out).toMatch(
    new RegExp(`^${id} +\\+5511987654321 +cloud_api +connected +Vendas$`, 'm'),
  );
}, 90_000);
