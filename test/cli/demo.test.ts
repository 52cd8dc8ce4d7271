import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApi } from '../../src/cli/demo/api.ts';
import { runDemo } from '../../src/cli/demo/demo.ts';
import { createReceiver } from '../../src/cli/demo/receiver.ts';
import { asSystem } from '../../src/db/database.ts';
import { type OwnDatabase, openOwnDatabase } from '../support/database.ts';
import { devServer } from '../support/env.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { ownPort } from '../support/ports.ts';
import { openProcesses, type Processes } from '../support/processes/processes.ts';

let database: OwnDatabase;
let processes: Processes;
let port: number;

beforeAll(async () => {
  database = await openOwnDatabase({ poolSize: 2 });
  port = await ownPort();
  processes = await openProcesses({
    databaseUrl: database.url,
    temporalAddress: devServer().address,
    trustedOrigins: [`http://127.0.0.1:${port}`],
    environment: { BACKOFF_SCALE: '0.02' },
  });
});
afterAll(async () => {
  await processes?.close();
  await database.close();
});

describe('wms demo', () => {
  it('sends to forty people, and verifies a webhook of each though its receiver was away for a while', async () => {
    const { ctx } = await aWorkspace(database);
    const { key } = await anApiKey(ctx);
    const { id: numberId } = await aNumber(ctx);
    const { baseUrl } = await processes.start('api,worker');
    const receiver = createReceiver(port);
    const said: string[] = [];
    await receiver.start();

    const result = await runDemo(
      createApi(baseUrl, key),
      receiver,
      { result: () => {}, progress: (line) => void said.push(line) },
      {
        numberId,
        receiverUrl: `http://127.0.0.1:${port}/hooks`,
        interrupt: true,
        timeoutMs: 180_000,
      },
    );
    await receiver.stop();
    const deliveries = await asSystem(database, (sql) =>
      sql.rows('select status, count(*)::int as n from webhook_deliveries group by status'),
    );

    expect(deliveries).toEqual([{ status: 'succeeded', n: 40 }]);
    expect(result).toMatchObject({ recipients: 40, delivered: 40, verified: 40, missing: [] });
    expect(said).toContain('the receiver is back');
  });

  it('goes on where somebody else calls at its port, whom it answers that this is no webhook', async () => {
    const receiver = createReceiver(port);
    await receiver.start();

    const { status } = await fetch(`http://127.0.0.1:${port}/`);
    const { status: other } = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: '[]',
    });
    await receiver.stop();

    expect([status, other, receiver.received.size]).toEqual([400, 400, 0]);
  });

  it('says what to do when something else listens at its port', async () => {
    const first = createReceiver(port);
    const second = createReceiver(port);
    await first.start();

    await expect(second.start()).rejects.toThrow(
      `Port ${port} is taken, and the demo receives webhooks there.`,
    );
    await first.stop();
  });
});
