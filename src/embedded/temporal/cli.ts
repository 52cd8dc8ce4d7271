import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { StartError } from '../start-error.ts';
import { acquire, cacheDir, execute, type Log, onPath, type Step } from './acquire.ts';
import { download } from './download.ts';

/** The last release that `go install` accepts; later ones have a replace directive. */
const VERSION = '1.5.1';
const MODULE = `github.com/temporalio/cli/cmd/temporal@v${VERSION}`;
const EXECUTABLE = process.platform === 'win32' ? 'temporal.exe' : 'temporal';

const runs = (file: string): boolean =>
  spawnSync(file, ['--version'], { stdio: 'ignore', timeout: 10_000 }).status === 0;

const working = (file: string | undefined): string | undefined =>
  file && fs.existsSync(file) && runs(file) ? file : undefined;

function chosen(file: string): Step {
  return {
    name: 'TEMPORAL_CLI',
    chosen: true,
    find: () => {
      if (working(file)) return file;
      throw new StartError(
        `${file} does not run. Give the path of a temporal binary, or unset it.`,
      );
    },
  };
}

async function build(
  destination: string,
  progress: Log,
  stopping?: AbortSignal,
): Promise<string | undefined> {
  const go = onPath(process.platform === 'win32' ? 'go.exe' : 'go');
  if (!go) throw new StartError('no go on PATH');
  progress('compiling, 1 to 3 minutes the first time');
  fs.mkdirSync(path.dirname(destination), { recursive: true });
  const folder = fs.mkdtempSync(`${destination}.`);
  try {
    const options = { timeoutMs: 900_000, progress, stopping, env: { GOBIN: folder, GOFLAGS: '' } };
    await execute(go, ['install', '-ldflags=-s -w', MODULE], options);
    if (!runs(path.join(folder, EXECUTABLE))) throw new StartError('what was built does not run');
    fs.rmSync(destination, { recursive: true, force: true });
    fs.renameSync(folder, destination);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return path.join(destination, EXECUTABLE);
}

function steps(): Step[] {
  const explicit = process.env['TEMPORAL_CLI'];
  const built = path.join(cacheDir(), `temporal-cli-${VERSION}`);
  const downloaded = path.join(cacheDir(), 'temporal-cli-download');
  return [
    ...(explicit ? [chosen(explicit)] : []),
    { name: 'temporal on PATH', find: () => working(onPath(EXECUTABLE)) },
    {
      name: 'cache',
      find: () => [built, downloaded].map((d) => working(path.join(d, EXECUTABLE))).find(Boolean),
    },
    {
      name: 'official download',
      find: (progress, stopping) =>
        download({
          artifact: 'cli',
          destination: downloaded,
          executable: EXECUTABLE,
          runs,
          progress,
          stopping,
        }),
    },
    { name: `go install ${MODULE}`, find: (...how) => build(built, ...how) },
  ];
}

/** Finds, downloads or builds the `temporal` program, which contains the dev server; returns its path. */
export function acquireTemporalCli(log: Log, stopping?: AbortSignal): Promise<string> {
  const remedy =
    'Install the Temporal CLI (https://docs.temporal.io/cli) and put it on PATH or name it in ' +
    'TEMPORAL_CLI, or install Go, or set TEMPORAL_ADDRESS to a running Temporal server.';
  return acquire({ what: 'Temporal dev server', steps: steps(), remedy }, log, stopping);
}
