import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { banner } from '../../src/embedded/banner.ts';

const RUN = {
  pid: 1,
  databaseUrl: 'postgres://127.0.0.1/none',
  encryptionKeys: '',
  temporalAddress: '127.0.0.1:7233',
  temporalNamespace: 'default',
  temporalUiUrl: null,
  baseUrl: 'http://127.0.0.1:4000',
  simulatorUrl: 'http://127.0.0.1:4001',
  demo: { workspaceId: 'org_1', numberId: 'num_1', phoneNumberId: '715364737', apiKey: 'sk_1' },
};

it('says what the simulator asks for, and the commands as they find this service', () => {
  const told = banner(RUN, '/data').split('\n');

  expect(told).toContain('  Front desk   715364737, as WhatsApp and the simulator call it');
  expect(told).toContain('  DATA_DIR=/data npx wms demo');
});

it.each(['/home/ana/my data', "/home/ana/d'água $HOME"])(
  'names a folder (%s) as a shell takes it',
  (folder) => {
    const line =
      banner(RUN, folder)
        .split('\n')
        .find((told) => told.endsWith(' demo')) ?? '';

    const said = line.replace('npx wms demo', `sh -c 'printf %s "$DATA_DIR"'`);
    expect(execFileSync('sh', ['-c', said], { encoding: 'utf8' })).toBe(folder);
  },
);

it('leaves out what a folder of an earlier version does not know', () => {
  const { phoneNumberId: _, ...demo } = RUN.demo;

  expect(banner({ ...RUN, demo }, null)).not.toContain('Front desk');
});
