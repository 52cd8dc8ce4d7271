import fs from 'node:fs';
import path from 'node:path';
import { commandLine, endProcess, isAlive } from '../../src/embedded/processes.ts';

/** Memory when there is some: tests do not need their data to survive anything. */
const BASE = fs.existsSync('/dev/shm') ? '/dev/shm' : '/tmp';
const PREFIX = 'wms-test-';

interface Started {
  readonly pid: number;
  /** Part of the process's command line: a pid that was given to somebody else is left alone. */
  readonly mark: string;
  /** The quickest way to end it that leaves nothing behind. */
  readonly signal: NodeJS.Signals;
}

/** One run of the tests: its folder, and the processes it started, written down as they start. */
export interface RunFolder {
  readonly path: string;
  started(process: Started): void;
}

const startedFile = (folder: string): string => path.join(folder, 'started.jsonl');

/** @param base where it is made; only those at the usual place are cleared up after. */
export function openRunFolder(base = BASE): RunFolder {
  const folder = fs.mkdtempSync(path.join(base, `${PREFIX}${process.pid}-`));
  // The unprivileged user that PostgreSQL runs as passes through.
  fs.chmodSync(folder, 0o755);
  return {
    path: folder,
    started: (child) => fs.appendFileSync(startedFile(folder), `${JSON.stringify(child)}\n`),
  };
}

function startedIn(folder: string): Started[] {
  if (!fs.existsSync(startedFile(folder))) return [];
  const lines = fs.readFileSync(startedFile(folder), 'utf8').trim().split('\n');
  return lines.filter(Boolean).map((line) => JSON.parse(line) as Started);
}

/** Ends what the run started and is still there, and removes its folder. */
export async function endRun(folder: string): Promise<void> {
  const living = startedIn(folder).filter(({ pid, mark }) => commandLine(pid).includes(mark));
  await Promise.all(living.map(({ pid, signal }) => endProcess(pid, signal, 2_000)));
  // A server that was ended may still be writing its last file.
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Clears up after runs that were killed and could not do so themselves. */
export async function endAbandonedRuns(): Promise<void> {
  for (const name of fs.readdirSync(BASE).filter((entry) => entry.startsWith(PREFIX))) {
    const owner = Number(name.slice(PREFIX.length).split('-')[0]);
    if (owner > 0 && !isAlive(owner)) await endRun(path.join(BASE, name));
  }
}

/** Notes a server that a test file starts itself, so that a killed run is cleared up after. */
export function noteStarted(child: Started): void {
  const folder = process.env['TEST_RUN_FOLDER'];
  if (folder) fs.appendFileSync(startedFile(folder), `${JSON.stringify(child)}\n`);
}
