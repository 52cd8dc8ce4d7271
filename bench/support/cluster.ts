import { spawn } from 'node:child_process';
import fs from 'node:fs';
import type { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../src/db/migrate.ts';
import { ensureOwnedDatabase } from '../../src/embedded/postgres/owner.ts';
import { startPostgres } from '../../src/embedded/postgres/postgres.ts';
import { type EmbeddedTemporal, startTemporal } from '../../src/embedded/temporal/dev-server.ts';

/** What the service stands on, as `npm start` starts it: a durable PostgreSQL, a tuned dev server. */
export interface Cluster {
  /** Removed with all that is in it. */
  readonly folder: string;
  readonly databaseUrl: string;
  /** The superuser's address of the same database: for the bare handler, which has no tenants. */
  readonly bareUrl: string;
  readonly postgresPid: number;
  readonly temporal: { readonly address: string; readonly pid: number } | null;
  /** One more migrated database on the same server. */
  another(name: string): Promise<Pick<Cluster, 'databaseUrl' | 'bareUrl'>>;
  close(): Promise<void>;
}

const DATABASE = 'wms_bench';

/** Both servers outlive a killed parent, and would go on using the cores that are measured. */
function startKeeper(folder: string) {
  const file = fileURLToPath(new URL('../children/keeper.ts', import.meta.url));
  const keeper = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  keeper.unref();
  (keeper.stdin as Socket).unref();
  return keeper;
}

export async function openCluster({ temporal }: { temporal: boolean }): Promise<Cluster> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-bench-'));
  // PostgreSQL never runs as root: its own user must reach its folder.
  fs.chmodSync(folder, 0o755);
  const keeper = startKeeper(folder);
  const postgres = await startPostgres({ dataDir: path.join(folder, 'postgres'), durable: true });
  let server: EmbeddedTemporal | null = null;
  const close = async (): Promise<void> => {
    await server?.stop();
    await postgres.stop('immediate');
    fs.rmSync(folder, { recursive: true, force: true });
    keeper.stdin.end();
  };
  const another = async (name: string) => {
    const databaseUrl = await ensureOwnedDatabase(postgres, name);
    await migrate(databaseUrl);
    return { databaseUrl, bareUrl: postgres.url(name) };
  };
  const { databaseUrl, bareUrl } = await another(DATABASE);
  if (temporal) {
    const dataDir = path.join(folder, 'temporal');
    server = await startTemporal({ dataDir, log: () => {}, firstPort: 0, firstUiPort: 0 });
  }
  return {
    folder,
    databaseUrl,
    bareUrl,
    postgresPid: postgres.pid,
    temporal: server ? { address: server.address, pid: server.pid } : null,
    another,
    close,
  };
}
