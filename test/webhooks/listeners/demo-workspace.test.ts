import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { writeRunFile } from '../../../src/embedded/run-file.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell, SHELL_KEYS, type Shell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';

/** The service here has a demo workspace, and there is another. */
let shell: Shell;
let demo: Context;
beforeAll(async () => {
  shell = await openShell();
  demo = (await aWorkspace(shell.database)).ctx;
});
afterAll(() => shell.close());

const serviceRuns = (): void =>
  writeRunFile(shell.dataDir, {
    pid: process.pid,
    baseUrl: 'http://127.0.0.1:9',
    databaseUrl: shell.databaseUrl,
    encryptionKeys: SHELL_KEYS,
    temporalAddress: '127.0.0.1:9',
    temporalNamespace: 'default',
    temporalUiUrl: null,
    simulatorUrl: null,
    demo: { workspaceId: demo.organizationId, numberId: 'num_none', apiKey: 'sk_live_none' },
  });

const inBoth = (text: string): Promise<unknown[][]> =>
  Promise.all([demo, shell.ctx].map((ctx) => rowsOf(ctx, text)));

describe('webhooks on a laptop, with no workspace named', () => {
  it('asks for one where no service with a demo workspace runs', async () => {
    const told = await Promise.all([
      shell.wmsAnywhere('trigger', 'contact.created'),
      shell.wmsAnywhere('deliveries', 'list'),
    ]);

    expect(told.map(({ code, err }) => [code, err])).toEqual([
      [1, 'Say which workspace: --workspace org_…\n'],
      [1, 'Say which workspace: --workspace org_…\n'],
    ]);
  });

  it('means the demo workspace for trigger', async () => {
    serviceRuns();

    const told = await shell.wmsAnywhere('trigger', 'contact.created');

    expect(told.out).toMatch(/^contact con_\w+ is created\n/);
    expect(await inBoth('select name from contacts')).toEqual([
      [{ name: expect.stringMatching(/^Trigger/) }],
      [],
    ]);
  });

  it('means none by a name that is empty, as a variable that is not set', async () => {
    serviceRuns();
    const before = await inBoth('select name from contacts');

    const told = await shell.wmsAnywhere('trigger', 'contact.created', '--workspace', '');

    expect([told.code, told.err]).toEqual([1, 'Say which workspace: --workspace org_…\n']);
    expect(await inBoth('select name from contacts')).toEqual(before);
  });

  it('means the demo workspace for listen', async () => {
    serviceRuns();

    const listener = shell.startAnywhere('listen', '--forward-to', 'http://127.0.0.1:9/hooks');
    await eventually(() => listener.lines().length > 0, {
      timeoutMs: 60_000,
      instead: listener.err,
    });
    await listener.stop('SIGKILL');

    expect(await inBoth('select url from webhook_endpoints')).toEqual([
      [{ url: 'http://127.0.0.1:9/hooks' }],
      [],
    ]);
  });

  it('means the demo workspace for deliveries', async () => {
    serviceRuns();
    const [eventId = ''] = await sentEvents(shell.database, demo.organizationId);
    await rowsOf(
      demo,
      `insert into webhook_deliveries (day, organization_id, id, endpoint_id, event_id, type, status, created_at)
       select (now() at time zone 'UTC')::date, organization_id, 'dlv_01J00000000000000000000000', id, '${eventId}',
         'message.sent', 'held', now() from webhook_endpoints`,
    );

    const { json } = await shell.wmsAnywhere('deliveries', 'list', '--json');

    expect(json).toMatchObject([{ event_id: eventId, status: 'held' }]);
  });
});
