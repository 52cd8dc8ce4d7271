import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { surroundings } from '../../src/cli/session.ts';
import { readConfig } from '../../src/config.ts';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { type RunFile, writeRunFile } from '../../src/embedded/run-file.ts';
import { openKeySet } from '../../src/oauth/tokens/signing-keys.ts';
import { openShell, type Shell } from '../support/shell.ts';

const SERVICE_KEYS = `service:${Buffer.alloc(32, 9).toString('base64')}`;

let shell: Shell;
let dataDir: string;
beforeAll(async () => {
  shell = await openShell();
  dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-run-'));
});
afterAll(async () => {
  fs.rmSync(dataDir, { recursive: true, force: true });
  await shell.close();
});

it('no command encrypts with keys that the service of this database does not have', async () => {
  await openKeySet({ database: shell.database, keyring: createKeyring(SERVICE_KEYS) });
  const added = ['--name', 'Vendas', '--phone', '+5511987654321', '--provider', 'cloud_api'];
  const token = ['--phone-number-id', '1234', '--access-token-file', shell.file('EAAG')];

  const refused = await shell.wms('number', 'add', ...added, ...token);
  const status = await shell.wmsAlone('keys', 'status', '--json');
  const { rows } = await shell.database.system.query('select count(*)::int as n from numbers');

  expect([refused.code, refused.json.error.code]).toEqual([1, 'configuration']);
  expect(refused.json.error.message).toContain('it lacks the key "service"');
  expect(status.json.keys).toEqual(
    expect.arrayContaining([expect.objectContaining({ key_id: 'service', configured: false })]),
  );
  expect(rows).toEqual([{ n: 0 }]);
});

it('of a service that runs here on another database nothing is taken', () => {
  const here = 'postgresql://w@localhost/here';
  const elsewhere = 'postgresql://w@db/elsewhere';
  writeRunFile(dataDir, { databaseUrl: here, encryptionKeys: SERVICE_KEYS } as RunFile);
  const keysAt = (url?: string) =>
    surroundings(readConfig({ DATA_DIR: dataDir, ...(url ? { DATABASE_URL: url } : {}) })).run
      ?.encryptionKeys;

  expect([keysAt(), keysAt(here), keysAt(elsewhere)]).toEqual([
    SERVICE_KEYS,
    SERVICE_KEYS,
    undefined,
  ]);
});
