import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

const shell = opened(openShell);

const KEY = ['api-key', 'create', '--name', 'ERP'];
const APP = ['app', 'create', '--name', 'ERP', '--redirect-uri', 'https://erp.example.com/in'];

it.each([
  ['--scopes', ['contacts:read,contacts:write']],
  ['--scope', ['contacts:read', 'contacts:write']],
  ['--scope', ['contacts:read, contacts:write']],
])('keys and apps take the same scopes the same way: %s %j', async (option, scopes) => {
  const keys = await shell.wms(...KEY, option, ...scopes);
  const apps = await shell.wms(...APP, option, ...scopes);
  const listed = [await shell.wms('api-key', 'list'), await shell.wms('app', 'list')];

  const wanted = expect.objectContaining({ scopes: ['contacts:read', 'contacts:write'] });
  expect([keys.code, apps.code]).toEqual([0, 0]);
  expect(listed.map(({ json }) => json[0])).toEqual([wanted, wanted]);
});

it('a key without scopes is a wrong call', async () => {
  const { code, json } = await shell.wms(...KEY);

  expect([code, json.error.message]).toEqual([1, expect.stringContaining('--scopes')]);
});
