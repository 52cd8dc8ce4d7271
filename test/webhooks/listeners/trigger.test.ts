import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { writeRunFile } from '../../../src/embedded/run-file.ts';
import { newId } from '../../../src/ids.ts';
import { WEBHOOK_EVENT_TYPES, webhookEvents } from '../../../src/outbox/events.ts';
import { pauseEndpoint } from '../../../src/webhooks/pausing.ts';
import { devServer } from '../../support/env.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { anEndpoint } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { openProcesses, type Processes } from '../../support/processes/processes.ts';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { rowsOf } from '../../support/rows-of.ts';
import { openShell, type Running, SHELL_KEYS, type Shell } from '../../support/shell.ts';
import { eventually } from '../../support/waiting.ts';

let shell: Shell;
let processes: Processes;
let receiver: Receiver;
let listener: Running;
const named: string[] = [];

beforeAll(async () => {
  shell = await openShell({ NODE_ENV: 'test' });
  receiver = await startReceiver();
  const { address: temporalAddress } = devServer();
  const { databaseUrl } = shell;
  const environment = { ENCRYPTION_KEYS: SHELL_KEYS };
  processes = await openProcesses({ databaseUrl, temporalAddress, environment });
  const { baseUrl, pid } = await processes.start('api,worker');
  writeRunFile(shell.dataDir, {
    pid,
    baseUrl,
    databaseUrl,
    encryptionKeys: SHELL_KEYS,
    temporalAddress,
    temporalNamespace: 'default',
    temporalUiUrl: null,
    simulatorUrl: processes.simulator.url,
    demo: null,
  });
});
afterAll(async () => {
  await listener?.stop('SIGKILL');
  await processes.close();
  await receiver.close();
  await shell.close();
});

const trigger = (type: string) => shell.wms('trigger', type);

describe('wms trigger', () => {
  it('says when nobody hears what happened, and which command would', async () => {
    const told = await shell.wmsInWords('trigger', 'contact.created');

    expect(told.code).toBe(0);
    expect(told.out).toMatch(
      /^contact con_\w+ is created\nNo endpoint or listener hears contact\.created: wms listen/,
    );
  });

  it('names the six events when it is given another, in one line', async () => {
    const told = await shell.wmsInWords('trigger', 'contact\n\u001b[2J.lost');

    expect([told.code, told.err.trimEnd()]).toEqual([
      1,
      String.raw`There is no event "contact\u000a\u001b[2J.lost". The events are ${WEBHOOK_EVENT_TYPES.join(', ')}.`,
    ]);
  });

  it('leaves nobody’s phone where a number can write to people', async () => {
    const { ctx } = await aWorkspace(shell.database);
    await aNumber(ctx, { provider: 'cloud_api' });
    const there = ['--workspace', ctx.organizationId];

    for (const type of ['contact.created', 'stage.changed']) {
      const told = await shell.wmsAnywhere('trigger', type, ...there);
      expect([told.code, told.err]).toEqual([1, expect.stringContaining('not of the sandbox')]);
    }

    const found = await rowsOf(ctx, 'select from contacts');
    expect(found).toEqual([]);
  });

  it('asks for a sandbox number where an event needs one', async () => {
    const told = await shell.wmsInWords('trigger', 'message.sent');

    expect([told.code, told.err]).toEqual([1, expect.stringContaining('wms number add')]);
  });

  it.each([...WEBHOOK_EVENT_TYPES, 'stage.changed', 'conversation.closed'] as const)(
    'leads to %s at whoever listens, verified and with the data of that event',
    async (type) => {
      if (!listener) {
        await aNumber(shell.ctx, { name: path.basename(shell.dataDir) });
        listener = shell.start('listen', '--forward-to', receiver.origin);
        await eventually(() => listener.lines().length > 0, { instead: listener.err });
      }
      const secret = /secret (\S+)/.exec(listener.lines().join('\n'))?.[1] ?? '';

      const told = await trigger(type);
      const came = () =>
        receiver.received.find(({ headers }) => headers['webhook-id'] === told.json?.event_id);
      await eventually(() => came() !== undefined, { instead: () => told.out + told.err });

      const { body = '', headers = {} } = came() ?? {};
      const event = new Webhook(secret).verify(body, headers) as { type: string; data: unknown };
      expect([told.code, told.json.type, event.type]).toEqual([0, type, type]);
      expect(named).not.toContain(told.json.event_id);
      named.push(told.json.event_id);
      expect(webhookEvents[type].safeParse(event.data).error).toBeUndefined();
    },
  );

  it('finds the event also from a machine whose clock is ahead of the database’s', async () => {
    const ahead = 'const real = Date.now; Date.now = () => real() + 5_000';
    const away = await openShell({
      DATABASE_URL: shell.databaseUrl,
      NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(ahead)}`,
    });
    const there = ['--workspace', shell.ctx.organizationId, '--json'];

    const told = await away.wmsAlone('trigger', 'contact.created', ...there);
    await away.close();

    expect(told.json?.event_id ?? told.out).toMatch(/^evt_/);
  });

  it('counts whom the event reaches, and says of whom it waits for', async () => {
    const { ctx } = shell;
    const paused = await anEndpoint(ctx, receiver.origin, ['contact.created']);
    const blind = await anEndpoint(ctx, receiver.origin, ['contact.created']);
    await pauseEndpoint(ctx, paused.id);
    await rowsOf(ctx, 'update webhook_endpoints set member_id = $2 where id = $1', [
      blind.id,
      newId('mem'),
    ]);

    const told = await shell.wmsInWords('trigger', 'contact.created');

    expect(told.out).toMatch(/ goes to 2 endpoints and listeners, 1 of them paused: /);
  });

  it('sends as the API does', async () => {
    const sent = receiver.received
      .map(({ body }) => JSON.parse(body))
      .find(({ type }) => type === 'message.sent');

    expect(sent.data).toMatchObject({ source: 'api', contact: { phone: '+5511970900001' } });
  });
});
