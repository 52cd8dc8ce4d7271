import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import pg from 'pg';
import { runningPostmaster } from '../../src/embedded/postgres/postmaster.ts';
import { endProcess } from '../../src/embedded/processes.ts';
import { runningTemporal } from '../../src/embedded/temporal/running.ts';
import { ownPort } from '../support/ports.ts';
import { type Child, startChild, until } from '../support/processes/child.ts';

let dataDir: string;
let child: Child;
let port: number;
let start: () => Child;

beforeEach(async () => {
  dataDir = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'interrupted-'));
  fs.chmodSync(dataDir, 0o755);
  port = await ownPort();
  const environment = {
    NODE_ENV: 'development',
    DATA_DIR: dataDir,
    PORT: String(port),
    SIMULATOR_PORT: String(await ownPort()),
    TEMPORAL_CLI: process.env['TEMPORAL_CLI'] ?? '',
  };
  start = () => startChild('src/main.ts', environment);
  child = start();
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

it('a port that is taken while the service starts is refused in a sentence, and nothing runs on', async () => {
  const running = async (): Promise<boolean> => servers().length === 2;
  await until('both servers run', running, { child, everyMs: 10 });
  const other = net.createServer().listen(port, '127.0.0.1');
  try {
    expect(await child.exited).toBe(1);
  } finally {
    other.close();
  }

  expect(child.said()).toMatch(new RegExp(`Port ${port} is taken\\. With free ones: PORT=\\d+ `));
  expect(child.said()).not.toMatch(/^ +at /m);
  expect(servers()).toEqual([]);
}, 300_000);

/** What its database answers; rejects while there is none. */
async function ask(sql: string): Promise<unknown[]> {
  const cluster = path.join(dataDir, 'postgres');
  const { superuser } = JSON.parse(fs.readFileSync(`${cluster}.credentials.json`, 'utf8'));
  const address = `postgresql://postgres:${superuser}@127.0.0.1:${runningPostmaster(cluster)?.port}/wms`;
  const client = new pg.Client({ connectionString: address });
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Two starts with all that they bring, beside other tests. */
const SLOW = { timeoutMs: 200_000 };

it.each(['SIGINT', 'SIGKILL'] as const)(
  'a first start that %s ends while it makes the demo leaves one demo to the next, whose people sign in',
  async (signal) => {
    const isMade = async (): Promise<boolean> => (await ask('select from workspaces')).length > 0;
    await until('a workspace is there', isMade, { ...SLOW, child, everyMs: 10 });
    await child.kill(signal);

    child = start();
    await until('it is ready', async () => child.said().includes('is ready'), { ...SLOW, child });

    expect(await ask('select name from workspaces')).toEqual([{ name: 'Padaria Aurora' }]);
    const staff = await ask("select from members where status = 'active'");
    expect(staff).toHaveLength(4);
    await child.kill('SIGINT');
  },
  2 * SLOW.timeoutMs + 60_000,
);
