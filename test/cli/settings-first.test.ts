import { expect, it } from '@jest/globals';
import { type RunFile, writeRunFile } from '../../src/embedded/run-file.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';
import { opened } from '../support/opened.ts';
import { openShell } from '../support/shell.ts';

const BASE_URL = 'https://messaging.example.com';

/** A service that runs here has recorded other things about itself than the environment says. */
const shell = opened(async () => {
  const simulator = await startSimulator({
    port: 0,
    callbackUrl: 'http://127.0.0.1:9/webhooks/whatsapp',
    appSecret: 'a secret of the tests',
  });
  const shell = await openShell({
    BASE_URL,
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    TEMPORAL_NAMESPACE: 'mine',
    TEMPORAL_UI_URL: 'https://temporal.example.com',
    WHATSAPP_API_URL: simulator.url,
    WHATSAPP_APP_SECRET: 'a secret of the tests',
    WHATSAPP_VERIFY_TOKEN: 'a word of the tests',
  });
  const nowhere = 'http://127.0.0.1:9';
  writeRunFile(shell.dataDir, {
    databaseUrl: shell.databaseUrl,
    baseUrl: nowhere,
    encryptionKeys: `service:${Buffer.alloc(32, 9).toString('base64')}`,
    temporalAddress: '127.0.0.1:7233',
    temporalNamespace: 'of-the-service',
    temporalUiUrl: nowhere,
    simulatorUrl: nowhere,
  } as RunFile);
  const close = async () => {
    await shell.close();
    await simulator.stop();
  };
  return { ...shell, close };
});

it('what is set goes before what the service that runs here has recorded', async () => {
  const person = ['--email', 'bia@example.com', '--name', 'Bia', '--role', 'viewer'];
  const number = ['--name', 'Vendas', '--phone', '+5511987654321', '--provider', 'cloud_api'];
  const access = ['--phone-number-id', '5511987654321', '--access-token-file', shell.file('EAAG')];

  const member = await shell.wms('member', 'add', ...person);
  const keys = await shell.wmsAnywhere('keys', 'status', '--json');
  const links = await shell.wms('ops', 'links');
  const added = await shell.wms('number', 'add', ...number, ...access);

  expect(member.json.invitation).toMatch(new RegExp(`^${BASE_URL}/invitations/`));
  expect(keys.json.keys).toEqual([expect.objectContaining({ key_id: 'k1', active: true })]);
  expect(links.json[0].url).toMatch(/^https:\/\/temporal\.example\.com\/namespaces\/mine\//);
  expect(added.json).toMatchObject({ status: 'connected' });
});
