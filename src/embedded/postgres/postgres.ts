import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../lock.ts';
import { freePort, isFree } from '../ports.ts';
import { endProcess, isAlive } from '../processes.ts';
import { StartError } from '../start-error.ts';
import { postgresBinaries } from './binaries.ts';
import { type Credentials, childEnvironment, prepareCluster } from './cluster.ts';
import { lastPort, type Postmaster, readPostmaster, runningPostmaster } from './postmaster.ts';
import { unprivilegedUser } from './unprivileged.ts';

export interface PostgresOptions {
  /** The cluster's folder; its passwords, lock and log lie beside it. */
  readonly dataDir: string;
  readonly port?: number;
  /** False trades safety for speed; for tests, whose data can be lost. */
  readonly durable: boolean;
}

export interface EmbeddedPostgres {
  readonly port: number;
  readonly pid: number;
  /** It was already running, left by a killed parent or started by another process. */
  readonly adopted: boolean;
  readonly ownerPassword: string;
  /** The superuser's address of a database, `postgres` by default. */
  url(database?: string): string;
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
}

const COMMON = {
  listen_addresses: '127.0.0.1',
  // No socket file: the default folder is world-writable, and a socket's path is limited to 107 bytes.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  shared_buffers: '256MB',
};
const DURABLE = { max_connections: '200', max_wal_size: '2GB' };
const FAST = {
  max_connections: '400',
  max_wal_size: '4GB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  autovacuum: 'off',
  checkpoint_timeout: '1h',
};

function handle(found: Postmaster, adopted: boolean, passwords: Credentials): EmbeddedPostgres {
  const { pid, port } = found;
  return {
    pid,
    port,
    adopted,
    ownerPassword: passwords.owner,
    url: (database = 'postgres') =>
      `postgresql://postgres:${passwords.superuser}@127.0.0.1:${port}/${database}`,
    stop: (mode = 'fast') => endProcess(pid, mode === 'fast' ? 'SIGINT' : 'SIGQUIT', 30_000),
  };
}

async function untilReady(dataDir: string, pid: number): Promise<Postmaster | undefined> {
  const deadline = Date.now() + 60_000;
  while (isAlive(pid) && Date.now() < deadline) {
    const found = readPostmaster(dataDir);
    if (found?.pid === pid && found.ready) return found;
    await sleep(10);
  }
  return undefined;
}

async function adopt(dataDir: string): Promise<Postmaster | undefined> {
  const left = runningPostmaster(dataDir);
  return left && untilReady(dataDir, left.pid);
}

/** What runs on over a restart, as `wms listen` does, looks for the server where it was. */
async function portAsBefore(dataDir: string): Promise<number> {
  const before = lastPort(dataDir);
  return before !== undefined && (await isFree(before)) ? before : freePort();
}

async function launch(
  dataDir: string,
  executable: string,
  o: PostgresOptions,
): Promise<Postmaster> {
  const settings = Object.entries({ ...COMMON, ...(o.durable ? DURABLE : FAST) });
  const port = o.port ?? (await portAsBefore(dataDir));
  // A file rather than a pipe: the server outlives a killed parent and must still be able to write.
  const logFile = fs.openSync(`${dataDir}.log`, 'w', 0o600);
  const flags = settings.flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(executable, ['-D', dataDir, '-p', String(port), ...flags], {
    ...unprivilegedUser(),
    env: childEnvironment(),
    detached: true,
    stdio: ['ignore', 'ignore', logFile],
  });
  fs.closeSync(logFile);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  child.unref();
  for (const deadline = Date.now() + 60_000; !ended && Date.now() < deadline; await sleep(10)) {
    const found = readPostmaster(dataDir);
    if (found?.pid === child.pid && found?.ready) return found;
  }
  const said = fs.readFileSync(`${dataDir}.log`, 'utf8').trim().split('\n').slice(-4).join(' ');
  throw new StartError(`PostgreSQL did not start: ${said || 'it said nothing'}`);
}

async function startLocked(dataDir: string, options: PostgresOptions): Promise<EmbeddedPostgres> {
  const user = unprivilegedUser();
  const bin = postgresBinaries(user);
  const durable = options.durable;
  const passwords = prepareCluster({ dataDir, durable, user, initdb: bin('initdb') });
  const running = await adopt(dataDir);
  if (running) return handle(running, true, passwords);
  // A killed postmaster that was not reaped yet, or whose backends are still ending, blocks for a moment, and somebody
  // else may take the port that was found free: the next try finds another.
  const passing =
    options.port === undefined
      ? /already exists|still in use|TCP\/IP/
      : /already exists|still in use/;
  for (let attempt = 0; ; attempt++) {
    try {
      return handle(await launch(dataDir, bin('postgres'), options), false, passwords);
    } catch (error) {
      if (attempt > 50 || !passing.test(String(error))) throw error;
      await sleep(100);
    }
  }
}

/**
 * Starts PostgreSQL from its npm package, or takes over a server that already serves `dataDir`. Works as root and as
 * a normal user, and after any kill. Throws StartError, saying what to do.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = path.resolve(options.dataDir);
  fs.mkdirSync(path.dirname(dataDir), { recursive: true });
  return withLock(`${dataDir}.lock`, () => startLocked(dataDir, options));
}
