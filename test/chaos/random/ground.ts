import fs from 'node:fs';
import path from 'node:path';
import { endProcess } from '../../../src/embedded/processes.ts';
import type { EmbeddedTemporal } from '../../../src/embedded/temporal/dev-server.ts';
import { type Cluster, onCluster } from '../support/cluster.ts';
import { ownTemporal } from '../support/own-temporal.ts';

interface Temporal {
  readonly address: string;
  readonly dataDir: string;
  /** Another one after each start. */
  pid(): number;
  kill(): Promise<void>;
  /** On the same file, at the same address. */
  start(): Promise<void>;
}

/** What the service stands on, and chaos takes away: its own PostgreSQL and its own Temporal. */
export interface Ground {
  readonly cluster: Cluster;
  readonly temporal: Temporal;
}

export const onGround = (play: (ground: Ground) => Promise<void>): Promise<void> =>
  onCluster((cluster) => withTemporal((temporal) => play({ cluster, temporal })));

async function withTemporal(play: (temporal: Temporal) => Promise<void>): Promise<void> {
  const base = process.env['TEST_RUN_FOLDER'] ?? '/tmp';
  const dataDir = fs.mkdtempSync(path.join(base, 'temporal-'));
  let server: EmbeddedTemporal = await ownTemporal(dataDir);
  const { address } = server;
  const port = Number(address.split(':')[1]);
  const kill = (): Promise<void> => endProcess(server.pid, 'SIGKILL');
  try {
    await play({
      address,
      dataDir,
      pid: () => server.pid,
      kill,
      start: async () => {
        server = await ownTemporal(dataDir, port);
      },
    });
  } finally {
    await kill();
    fs.rmSync(dataDir, { recursive: true, force: true });
  }
}
