import fs from 'node:fs';
import path from 'node:path';
import { migrate } from '../../../src/db/migrate.ts';
import { ensureOwnedDatabase } from '../../../src/embedded/postgres/owner.ts';
import { type EmbeddedPostgres, startPostgres } from '../../../src/embedded/postgres/postgres.ts';
import { noteStarted } from '../../support/run-folder.ts';

/**
 * A cluster that syncs to disk, as a service's does: the run's own one does not.
 *
 * @param base the folder that its own one is made in
 */
export async function onCluster(
  play: (cluster: Cluster) => Promise<void>,
  base = process.env['TEST_RUN_FOLDER'] ?? '/tmp',
): Promise<void> {
  const folder = fs.mkdtempSync(path.join(base, 'cluster-'));
  fs.chmodSync(folder, 0o755);
  const dataDir = path.join(folder, 'pg');
  let postgres = await startNoted(dataDir);
  try {
    const url = await ensureOwnedDatabase(postgres, 'wms');
    await migrate(url);
    const kill = (): Promise<void> => postgres.stop('immediate');
    const start = async (): Promise<void> => {
      postgres = await startNoted(dataDir, postgres.port);
    };
    const restart = (): Promise<void> => kill().then(start);
    const pid = (): number => postgres.pid;
    await play({ url, superuserUrl: postgres.url('wms'), dataDir, pid, kill, start, restart });
  } finally {
    await postgres.stop('immediate');
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

export interface Cluster {
  readonly url: string;
  readonly superuserUrl: string;
  readonly dataDir: string;
  /** Of the postmaster, another one after each start. */
  pid(): number;
  /** As by a power cut: no goodbye to anybody. */
  kill(): Promise<void>;
  /** At the same port, recovered from the log. */
  start(): Promise<void>;
  restart(): Promise<void>;
}

async function startNoted(dataDir: string, port?: number): Promise<EmbeddedPostgres> {
  const options = { dataDir, durable: true, ...(port === undefined ? {} : { port }) };
  const postgres = await startPostgres(options);
  noteStarted({ pid: postgres.pid, mark: dataDir, signal: 'SIGQUIT' });
  return postgres;
}
