import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { endProcess } from '../../src/embedded/processes.ts';
import { until } from '../support/processes/child.ts';
import { ownTemporal } from './support/own-temporal.ts';
import { onChaosStage } from './support/stage.ts';

const LIMIT_MS = 400_000;
/** The SDK takes a server's refusals for a minute's trouble before it ends a worker. */
const GIVEN_UP_MS = 150_000;
const NAMESPACE = 'lost-and-found';

const folder = (): string =>
  fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'temporal-'));

/** A namespace that this server lacks. */
async function register(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  await until('the namespace is registered', async () => {
    await connection.workflowService.registerNamespace({
      namespace: NAMESPACE,
      workflowExecutionRetentionPeriod: { seconds: 86_400 } as never,
    });
    return true;
  });
  await connection.close();
}

it(
  'a worker that its server had refused for so long that it ended is started again',
  async () => {
    let temporal = await ownTemporal(folder());
    const port = Number(temporal.address.split(':')[1]);
    try {
      await register(temporal.address);
      const environment = { TEMPORAL_NAMESPACE: NAMESPACE };
      await onChaosStage(
        { temporalAddress: temporal.address, environment },
        async ({ processes }) => {
          const worker = await processes.start('worker');
          const ready = async () => (await fetch(`${worker.baseUrl}/readyz`)).ok;

          await endProcess(temporal.pid, 'SIGKILL');
          temporal = await ownTemporal(folder(), port);
          await until('the worker has ended', async () => worker.said().includes('worker ended'), {
            child: worker,
            timeoutMs: GIVEN_UP_MS,
          });
          expect(await ready()).toBe(false);
          await register(temporal.address);

          await until('another one runs', ready, { child: worker, timeoutMs: 60_000 });
        },
      );
    } finally {
      await temporal.stop();
    }
  },
  LIMIT_MS,
);
