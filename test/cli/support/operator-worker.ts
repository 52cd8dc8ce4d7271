import { randomUUID } from 'node:crypto';
import { NativeConnection, Worker } from '@temporalio/worker';
import { failureInterceptor } from '../../../activities/failure.ts';
import { createActivities } from '../../../activities/index.ts';
import { createContext } from '../../../src/db/contexts.ts';
import type { Gateway } from '../../../src/gateway/port.ts';
import { createLog } from '../../../src/log.ts';
import { createSafeSender } from '../../../src/net/sender.ts';
import { workflowBundle } from '../../support/env.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import type { Shell } from '../../support/shell.ts';

export interface WorkerParts {
  readonly shell: Shell;
  readonly address: string;
  readonly taskQueue: string;
  readonly hooks: string;
}

/** A real worker; messages go to a gateway that takes everything. */
export async function runWorker({ shell, address, taskQueue, hooks }: WorkerParts) {
  const connection = await NativeConnection.connect({ address });
  const { protocol, origin } = new URL(hooks);
  const sender = createSafeSender({ trustedOrigins: protocol === 'http:' ? [origin] : [] });
  const deps = {
    database: shell.database,
    contextFor: contextsOf(shell),
    clock: { now: () => new Date(), skewMs: 0 },
    gateway,
    sender,
    keyring: testKeyring,
    wake: () => {},
    log: createLog({ level: 'silent', format: 'json' }),
  };
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle,
    activities: createActivities(deps),
    interceptors: { activity: [() => ({ inbound: failureInterceptor })] },
  });
  const running = worker.run();
  return {
    stop: async () => {
      worker.shutdown();
      await running;
      await connection.close();
      await sender.close();
    },
  };
}

/** Takes everything at once. */
const gateway: Gateway = {
  send: async () => ({ kind: 'accepted', providerId: `wamid.${randomUUID()}` }),
};

export const contextsOf =
  ({ database }: Shell): Parameters<typeof createActivities>[0]['contextFor'] =>
  (organizationId, actor) =>
    createContext({ database, wake: () => {} }, { organizationId, actor, now: new Date() });
