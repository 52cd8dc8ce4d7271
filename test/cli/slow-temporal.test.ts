import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { expect, it } from '@jest/globals';
import { devServer } from '../support/env.ts';
import { opened } from '../support/opened.ts';
import { runAlone } from '../support/shell/terminals.ts';
import { SHELL_KEYS } from '../support/shell.ts';
import { openWire } from '../support/wire.ts';
import { openOperated } from './support/operated.ts';

const operated = opened(openOperated);

/** More than the service waits, which tries again. */
const LATE_MS = 2_500;

const slowly = (near: Socket, far: Socket): void => {
  far.on('data', (bytes: Buffer) => setTimeout(() => near.write(bytes), LATE_MS));
};

it('wms ops waits for a Temporal that is slow, as nothing waits behind it', async () => {
  const wire = await openWire(devServer().address, slowly);
  const thing = await operated.make.campaign();
  const env = {
    ...process.env,
    DATABASE_URL: operated.shell.databaseUrl,
    DATA_DIR: operated.shell.dataDir,
    ENCRYPTION_KEYS: SHELL_KEYS,
    TEMPORAL_ADDRESS: wire.address,
    TEMPORAL_TASK_QUEUE: `slow-${randomUUID()}`,
  };

  const { err, json } = await runAlone(['ops', 'reconcile', thing.id, '--json'], env);
  wire.close();
  await operated.terminate(thing.start.workflowId).catch(() => {});

  expect([err, json]).toMatchObject(['', { agree: true, done: 'Its workflow was started.' }]);
});
