import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { accepts } from '../../src/embedded/ports.ts';
import { endProcess } from '../../src/embedded/processes.ts';
import { StartError } from '../../src/embedded/start-error.ts';
import {
  acquire,
  cacheDir,
  execute,
  type Log,
  onPath,
  type Step,
} from '../../src/embedded/temporal/acquire.ts';
import { download } from '../../src/embedded/temporal/download.ts';
import { ownPort } from './ports.ts';

const VERSION = '1.38.0';
const ARTIFACT = `io.temporal:temporal-test-server:${VERSION}`;
const EXECUTABLE =
  process.platform === 'win32' ? 'temporal-test-server.exe' : 'temporal-test-server';
const WRAPPER = 'test-server';

// Small heap, one compiler, serial collector: suited to a short-lived server on two cores.
const SCRIPT = `#!/bin/sh
here=$(dirname "$0")
exec java -Xmx256m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$here/lib/*" io.temporal.testserver.TestServer "$@"
`;

const pom = (): string => {
  const [group, artifact, version] = ARTIFACT.split(':');
  const wanted = `<groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;
  return (
    '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>' +
    '<groupId>wms</groupId><artifactId>test-server</artifactId><version>1</version>' +
    `<dependencies><dependency>${wanted}</dependency></dependencies></project>`
  );
};

export interface TestServer {
  readonly address: string;
  readonly pid: number;
  stop(): Promise<void>;
}

async function launch(executable: string, patienceMs: number): Promise<TestServer> {
  const port = await ownPort();
  const child = spawn(executable, [String(port)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-1_000);
  });
  let ended = false;
  child.once('error', (error) => {
    said += error.message;
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  const { pid } = child;
  for (const end = Date.now() + patienceMs; !ended && Date.now() < end; await sleep(25)) {
    if (pid === undefined || !(await accepts(port))) continue;
    child.unref();
    return { address: `127.0.0.1:${port}`, pid, stop: () => endProcess(pid, 'SIGKILL') };
  }
  child.kill('SIGKILL');
  throw new StartError(`${executable} does not start a test server: ${said.trim() || 'no answer'}`);
}

/** The program has no --version; it counts as working once it listens. */
async function runs(file: string): Promise<boolean> {
  try {
    const server = await launch(file, 30_000);
    await server.stop();
    return true;
  } catch {
    return false;
  }
}

async function fromMaven(destination: string, progress: Log): Promise<string | undefined> {
  if (!onPath('java') || !onPath('mvn'))
    throw new StartError('no java (11 or later) and mvn on PATH');
  fs.mkdirSync(path.dirname(destination), { recursive: true });
  const folder = fs.mkdtempSync(`${destination}.`);
  const project = fs.mkdtempSync(path.join(os.tmpdir(), 'wms-maven-'));
  const file = path.join(project, 'pom.xml');
  fs.writeFileSync(file, pom());
  const goal = [`-DoutputDirectory=${path.join(folder, 'lib')}`, 'dependency:copy-dependencies'];
  try {
    await execute('mvn', ['-q', '-B', '-f', file, ...goal], { timeoutMs: 300_000, progress });
    const wrapper = path.join(folder, WRAPPER);
    fs.writeFileSync(wrapper, SCRIPT, { mode: 0o755 });
    if (!(await runs(wrapper))) throw new StartError('the packages arrived, but do not run');
    fs.rmSync(destination, { recursive: true, force: true });
    fs.renameSync(folder, destination);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
    fs.rmSync(project, { recursive: true, force: true });
  }
  return path.join(destination, WRAPPER);
}

function chosen(file: string): Step {
  return {
    name: 'TEMPORAL_TEST_SERVER',
    chosen: true,
    find: () => {
      if (fs.existsSync(file)) return file;
      throw new StartError(
        `${file} does not exist. Give a time-skipping test server, or unset it.`,
      );
    },
  };
}

function steps(): Step[] {
  const explicit = process.env['TEMPORAL_TEST_SERVER'];
  const packaged = path.join(cacheDir(), `temporal-test-server-${VERSION}`);
  const downloaded = path.join(cacheDir(), 'temporal-test-server-download');
  const cached = [path.join(downloaded, EXECUTABLE), path.join(packaged, WRAPPER)];
  return [
    ...(explicit ? [chosen(explicit)] : []),
    { name: 'temporal-test-server on PATH', find: () => onPath(EXECUTABLE) },
    { name: 'cache', find: () => cached.find((file) => fs.existsSync(file)) },
    {
      name: 'official download',
      find: (progress) =>
        download({
          artifact: 'temporal-test-server',
          destination: downloaded,
          executable: EXECUTABLE,
          runs,
          progress,
        }),
    },
    { name: `Maven ${ARTIFACT}`, find: (progress) => fromMaven(packaged, progress) },
  ];
}

/** Finds, downloads or assembles the time-skipping test server; returns its path. */
export function acquireTestServer(log: Log): Promise<string> {
  const remedy =
    'Tests that skip time need it. Install Java 11 or later and Maven, or allow downloads from ' +
    'https://temporal.download, or name a test server in TEMPORAL_TEST_SERVER.';
  return acquire({ what: 'Time-skipping test server', steps: steps(), remedy }, log);
}

/** Starts a time-skipping server on a free port. Its time is global, so each user needs their own server. */
export async function startTestServer({ log }: { log: Log }): Promise<TestServer> {
  return launch(await acquireTestServer(log), 180_000);
}
