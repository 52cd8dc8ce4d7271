import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createKeyring } from '../../src/crypto/keyring.ts';
import { createEndpoint } from '../../src/webhooks/service.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { asOwner } from '../webhooks/events/support/refusing.ts';

const keyOf = (id: string, byte: number): string =>
  `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const OLD = keyOf('k1', 7);
const NEW = keyOf('k2', 8);

const INPUT = {
  name: 'Pedidos',
  url: 'http://127.0.0.1:1/',
  events: ['message.sent' as const],
};
const trustedOrigins = ['http://127.0.0.1:1'];

let shell: Shell;
beforeAll(async () => {
  shell = await openShell({ ENCRYPTION_KEYS: `${NEW},${OLD}` });
  await createEndpoint(shell.ctx, INPUT, { keyring: createKeyring(OLD), trustedOrigins });
  await createEndpoint(shell.ctx, INPUT, {
    keyring: createKeyring(keyOf('gone', 9)),
    trustedOrigins,
  });
});
afterAll(() => shell.close());

describe('wms keys', () => {
  it('shows what each key encrypted, which is needed and which is missing', async () => {
    const { json, code } = await shell.wmsAnywhere('keys', 'status', '--json');

    expect(json.keys).toEqual([
      { key_id: 'k2', configured: true, active: true, secrets: 0, says: 'encrypts' },
      {
        key_id: 'k1',
        configured: true,
        active: false,
        secrets: 1,
        says: expect.stringContaining('still needed'),
      },
      {
        key_id: 'gone',
        configured: false,
        active: false,
        secrets: 1,
        says: expect.stringContaining('is missing'),
      },
    ]);
    expect(json.columns).toContainEqual({
      key_id: 'k1',
      table: 'webhook_endpoints',
      column: 'secret',
      count: 1,
    });
    expect(code).toBe(1);
  });

  it('rotates at once, and says which secrets could not be read', async () => {
    const { out, code } = await shell.wmsAnywhere('keys', 'rotate');

    expect(out).toContain('1 secret encrypted with key k2');
    expect(out).toContain('1 secret cannot be read.');
    expect(code).toBe(1);
    const status = await shell.wmsAnywhere('keys', 'status');
    expect(status.out).toMatch(/^k1 +0 +can be removed/m);
    expect(status.out).toMatch(/^k2 +webhook_endpoints\.secret +1$/m);
  });

  it('prints one JSON document also when a secret cannot be read', async () => {
    const { json, code } = await shell.wmsAnywhere('keys', 'rotate', '--json');

    expect([json, code]).toEqual([{ encrypted_again: 0, unreadable: 1, failed: [] }, 1]);
  });

  it('names a workspace that fails', async () => {
    const { organizationId } = shell.ctx;
    await createEndpoint(shell.ctx, INPUT, { keyring: createKeyring(OLD), trustedOrigins });
    await asOwner(
      shell.databaseUrl,
      `alter table webhook_endpoints add constraint refusing check (organization_id <> '${organizationId}') not valid`,
    );

    const { json, code } = await shell.wmsAnywhere('keys', 'rotate', '--json');

    const told = { workspace_id: organizationId, message: expect.stringContaining('refusing') };
    expect([json.failed, code]).toEqual([[told], 1]);
  });
});

describe('wms keys, with keys declared lost', () => {
  it('says what is to be renewed, and which entry can go', async () => {
    const shell = await openShell({ ENCRYPTION_KEYS: `${NEW},k1:lost,k0:lost` });
    await createEndpoint(shell.ctx, INPUT, { keyring: createKeyring(OLD), trustedOrigins });

    const { json, code } = await shell.wmsAnywhere('keys', 'status', '--json');

    await shell.close();
    expect(json.keys.map((key: Record<string, unknown>) => [key['key_id'], key['says']])).toEqual([
      ['k2', 'encrypts'],
      ['k1', expect.stringContaining('is lost: what it encrypted is entered again or renewed')],
      ['k0', expect.stringContaining('is lost and nothing needs it')],
    ]);
    expect(code).toBe(1);
  });
});
