import { expect, it } from '@jest/globals';
import { DAY_MS } from '../../src/durations.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

const shell = opened(openShell);

const create = async (...more: string[]) =>
  (await shell.wms('api-key', 'create', '--name', 'ERP', '--scopes', 'contacts:read', ...more))
    .json;

it('wms api-key makes a key for as long as it is told, shows it once, and ends it', async () => {
  const made = await create('--expires', '30d');
  const lasting = await create();

  const { json: listed } = await shell.wms('api-key', 'list');
  const revoked = await shell.wms('api-key', 'revoke', made.id);
  const after = await shell.wms('api-key', 'list');

  const [, thirty] = listed;
  const inDays = (Date.parse(thirty.expires_at) - Date.parse(thirty.created_at)) / DAY_MS;
  expect(listed).toMatchObject([{ id: lasting.id, expires_at: null }, { id: made.id }]);
  expect(inDays).toBe(30);
  expect(made.key).toMatch(/^sk_live_/);
  expect(JSON.stringify(listed)).not.toContain(made.key);
  expect(revoked.json).toMatchObject({ id: made.id, status: 'revoked' });
  expect(after.json).toMatchObject([
    { id: lasting.id, status: 'active' },
    { id: made.id, status: 'revoked' },
  ]);
});
