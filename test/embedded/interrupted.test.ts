import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { commandLine, endProcess, isAlive } from '../../src/embedded/processes.ts';
import { type Child, startChild, until } from '../support/house/child.ts';
import { ownPort } from '../support/ports.ts';

let dataDir: string;
let child: Child;

beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'interrupted-'));
  fs.chmodSync(dataDir, 0o755);
  child = startChild('src/main.ts', {
    NODE_ENV: 'development',
    DATA_DIR: dataDir,
    PORT: String(await ownPort()),
    SIMULATOR_PORT: String(await ownPort()),
    TEMPORAL_CLI: process.env['TEMPORAL_CLI'] ?? '',
  });
});

afterEach(async () => {
  await child.kill('SIGKILL');
  for (const pid of servers()) await endProcess(pid, 'SIGKILL');
  fs.rmSync(dataDir, { recursive: true, force: true });
});

/** The PostgreSQL and the Temporal of this folder that run at this moment. */
function servers(): number[] {
  const [postgres, temporal] = ['postgres/postmaster.pid', 'temporal/temporal.json'].map((name) => {
    const file = path.join(dataDir, name);
    return fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  });
  const pids = [Number(postgres?.split('\n')[0]), Number(/"pid":(\d+)/.exec(temporal ?? '')?.[1])];
  return pids.filter((pid) => pid > 0 && isAlive(pid) && commandLine(pid).includes(dataDir));
}

it('Ctrl-C while the service starts ends the PostgreSQL and the Temporal that it has started', async () => {
  await until('both servers run', async () => servers().length === 2, { child, everyMs: 10 });

  await child.kill('SIGINT');

  expect(servers()).toEqual([]);
  expect(await child.exited).toBe(0);
  expect(child.said()).toContain('Stopping …');
  expect(child.said()).not.toContain('is ready');
});
