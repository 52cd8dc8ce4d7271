import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { HOUR_MS } from '../../durations.ts';
import { withLock } from '../lock.ts';
import { accepts, nextFreePort } from '../ports.ts';
import { endProcess, parentOf } from '../processes.ts';
import { StartError } from '../start-error.ts';
import type { Log } from './acquire.ts';
import { acquireTemporalCli } from './cli.ts';
import { files, runningTemporal, type State } from './running.ts';

export interface TemporalOptions {
  /** The folder of its database, log and pid file. */
  readonly dataDir: string;
  readonly log: Log;
  /** Ends the search for the program, its download and its build. */
  readonly stopping?: AbortSignal;
  /** The next free ports from here on are used; 0 means any. */
  readonly firstPort?: number;
  readonly firstUiPort?: number;
  /** Added to ours, as `key=value`; a test lowers a limit so that reaching it is cheap. */
  readonly dynamicConfig?: readonly string[];
}

export interface EmbeddedTemporal {
  readonly address: string;
  readonly uiUrl: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const NAMESPACE = 'default';
const RETENTION_MS = 72 * HOUR_MS;

/**
 * By default the queues poll 20 times a second, which costs 50 ms per hop on the dev server's single shard. Fairness
 * between workspaces needs both matching flags and a single partition. A suspended worker keeps its long polls open
 * and is given work until its connection is found dead. A short timer may be late by the time shift, a second by
 * default, which is too long for the work of a dead worker.
 */
const DYNAMIC_CONFIG = [
  ...['transfer', 'timer', 'visibility', 'outbound'].map(
    (queue) => `history.${queue}ProcessorMaxPollRPS=2000`,
  ),
  'history.timerProcessorMaxTimeShift="100ms"',
  'history.maxInFlightUpdates=100',
  'matching.useNewMatcher=true',
  'matching.enableFairness=true',
  'matching.numTaskqueueReadPartitions=1',
  'matching.numTaskqueueWritePartitions=1',
  'frontend.keepAliveTime="3s"',
  'frontend.keepAliveTimeout="3s"',
];
/**
 * Collects garbage a third as often as by default, which saves a quarter of the server's CPU time at a start, for
 * some 100 MB.
 */
const GOGC = '300';
/**
 * At most half of the cores at once: what it does is rarely urgent, and it shares the machine with the first attempts
 * of webhooks, which would wait for both cores of a small one.
 */
const GOMAXPROCS = String(Math.ceil(os.availableParallelism() / 2));
const SEARCH_ATTRIBUTES = [
  'WmsWorkspaceId=Keyword',
  'WmsResourceId=Keyword',
  'WmsStage=Keyword',
  'WmsNextAt=Datetime',
];

/** Two servers on one file would fight for its shard, so one that lost its parent is ended first. */
async function endOrphan(dataDir: string, log: Log): Promise<void> {
  const left = runningTemporal(dataDir);
  if (!left) return;
  const { pid, parent } = left;
  if (parentOf(pid) === parent) {
    throw new StartError(
      `The service runs already with ${path.dirname(dataDir)} (process ${parent}). Stop it first, or ` +
        'set DATA_DIR to another folder.',
    );
  }
  await endProcess(pid);
  log(`Temporal: ended the server that a killed process left behind (${pid})`);
}

function launch(
  executable: string,
  dataDir: string,
  [port, uiPort]: readonly [number, number],
  dynamicConfig: readonly string[] = [],
): State & Exit {
  const { database, log, state } = files(dataDir);
  const flags = {
    ip: ['127.0.0.1'],
    port: [String(port)],
    'ui-port': [String(uiPort)],
    'log-level': ['error'],
    'db-filename': [database],
    'sqlite-pragma': ['journal_mode=WAL', 'synchronous=NORMAL'],
    'search-attribute': SEARCH_ATTRIBUTES,
    'dynamic-config-value': [...DYNAMIC_CONFIG, ...dynamicConfig],
  };
  const args = Object.entries(flags).flatMap(([name, values]) =>
    values.flatMap((value) => [`--${name}`, value]),
  );
  const output = fs.openSync(log, 'w', 0o600);
  // Detached: Ctrl-C reaches the whole process group of a terminal, but the workers must end before the server.
  const child = spawn(executable, ['server', 'start-dev', ...args], {
    detached: true,
    stdio: ['ignore', output, output],
    env: { GOGC, GOMAXPROCS, ...process.env },
  });
  fs.closeSync(output);
  const exit: Exit = { ended: false };
  child.once('error', () => {
    exit.ended = true;
  });
  child.once('exit', () => {
    exit.ended = true;
  });
  child.unref();
  const started = { pid: child.pid ?? 0, parent: process.pid };
  fs.writeFileSync(state, JSON.stringify(started));
  return Object.assign(exit, started);
}

interface Exit {
  ended: boolean;
  /** Why it was not ready at the last check. */
  problem?: string;
}

/**
 * History is kept for three days rather than one, so that an operator can look on Monday at what failed on Friday.
 */
async function keepHistory({ workflowService }: Connection): Promise<void> {
  const { config } = await workflowService.describeNamespace({ namespace: NAMESPACE });
  const kept = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
  if (kept * 1000 >= RETENTION_MS) return;
  await workflowService.updateNamespace({
    namespace: NAMESPACE,
    config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
  });
}

async function untilReady(port: number, exit: Exit): Promise<boolean> {
  const address = `127.0.0.1:${port}`;
  for (const end = Date.now() + 60_000; !exit.ended && Date.now() < end; await sleep(25)) {
    if (!(await accepts(port))) continue;
    const connection = await Connection.connect({ address, connectTimeout: 1_000 }).catch(() => {});
    if (!connection) continue;
    try {
      await keepHistory(connection);
      return true;
    } catch (error) {
      // It listens before its namespace exists.
      exit.problem = (error as Error).message;
    } finally {
      await connection.close();
    }
  }
  return false;
}

/** Of one user: two that start at once would find the same port free, and both take the server of one for theirs. */
const STARTING = path.join(
  os.tmpdir(),
  `workspace-messaging-${process.getuid?.() ?? 0}-temporal.lock`,
);

/**
 * Starts the tuned dev server with its web UI and a database file that survives kills. Throws StartError, saying what
 * to do.
 */
export async function startTemporal(options: TemporalOptions): Promise<EmbeddedTemporal> {
  const dataDir = path.resolve(options.dataDir);
  fs.mkdirSync(dataDir, { recursive: true });
  await endOrphan(dataDir, options.log);
  const executable = await acquireTemporalCli(options.log, options.stopping);
  const started = performance.now();
  const server = await withLock(STARTING, () => startAtFreePorts(executable, dataDir, options));
  const took = `${(performance.now() - started).toFixed()} ms`;
  options.log(`Temporal started on port ${server.port} (${took})`);
  return {
    address: `127.0.0.1:${server.port}`,
    uiUrl: `http://127.0.0.1:${server.uiPort}`,
    pid: server.pid,
    stop: () => endProcess(server.pid),
  };
}

async function startAtFreePorts(
  executable: string,
  dataDir: string,
  { firstPort = 7233, firstUiPort = 8233, dynamicConfig }: TemporalOptions,
): Promise<{ readonly port: number; readonly uiPort: number; readonly pid: number }> {
  const port = await nextFreePort(firstPort);
  const uiPort = await nextFreePort(firstUiPort, [port]);
  const server = launch(executable, dataDir, [port, uiPort], dynamicConfig);
  const ready = await untilReady(port, server);
  if (ready && !server.ended) return { port, uiPort, pid: server.pid };
  await endProcess(server.pid);
  const said = fs.readFileSync(files(dataDir).log, 'utf8').trim().split('\n').slice(-3).join(' ');
  throw new StartError(`The Temporal dev server did not start: ${said || server.problem}`);
}
