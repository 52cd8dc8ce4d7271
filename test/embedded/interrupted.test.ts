import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { runningPostmaster } from '../../src/embedded/postgres/postmaster.ts';
import { endProcess } from '../../src/embedded/processes.ts';
import { runningTemporal } from '../../src/embedded/temporal/running.ts';
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
const servers = (): number[] =>
  [
    runningPostmaster(path.join(dataDir, 'postgres')),
    runningTemporal(path.join(dataDir, 'temporal')),
  ].flatMap((found) => found?.pid ?? []);

it('Ctrl-C while the service starts ends the PostgreSQL and the Temporal that it has started', async () => {
  await until('both servers run', async () => servers().length === 2, { child, everyMs: 10 });

  await child.kill('SIGINT');

  expect(servers()).toEqual([]);
  expect(await child.exited).toBe(0);
  expect(child.said()).toContain('Stopping …');
  expect(child.said()).not.toContain('is ready');
});
