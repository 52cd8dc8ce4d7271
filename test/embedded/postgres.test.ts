import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ensureOwnedDatabase } from '../../src/embedded/postgres/owner.ts';
import { startPostgres } from '../../src/embedded/postgres/postgres.ts';
import { endProcess } from '../../src/embedded/processes.ts';

const source = fileURLToPath(new URL('../../src/embedded/postgres/postgres.ts', import.meta.url));
let dataDir: string;

beforeEach(() => {
  const base = process.env['TEST_RUN_FOLDER'] ?? '/tmp';
  const folder = fs.mkdtempSync(path.join(base, 'cluster-'));
  fs.chmodSync(folder, 0o755);
  dataDir = path.join(folder, 'pg');
});

afterEach(async () => {
  const postgres = await startPostgres({ dataDir, durable: false });
  await postgres.stop('immediate');
  fs.rmSync(path.dirname(dataDir), { recursive: true, force: true });
});

async function ask(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Starts the cluster from a process of its own, which is killed as soon as it has said its pid. */
async function startAndKillStarter(): Promise<number> {
  const code = `import { startPostgres } from ${JSON.stringify(source)};
    const p = await startPostgres({ dataDir: ${JSON.stringify(dataDir)}, durable: true });
    console.log(p.pid); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await new Promise<number>((resolve, reject) => {
    child.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk)));
    child.once('exit', reject);
  });
  child.removeAllListeners('exit');
  child.kill('SIGKILL');
  await once(child, 'exit');
  return pid;
}

describe('the embedded PostgreSQL', () => {
  it('is taken over, with its data, when the process that started it was killed', async () => {
    const pid = await startAndKillStarter();

    const again = await startPostgres({ dataDir, durable: true });

    expect(again).toMatchObject({ pid, adopted: true });
    expect(await ask(again.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('keeps what was committed when it is killed itself', async () => {
    const before = await startPostgres({ dataDir, durable: true });
    await ask(before.url(), 'create table kept as select 42 as answer');
    await endProcess(before.pid, 'SIGKILL');

    const after = await startPostgres({ dataDir, durable: true });

    expect(after.adopted).toBe(false);
    expect(await ask(after.url(), 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('starts from a copy of its folder, also from one that belongs to root', async () => {
    const before = await startPostgres({ dataDir, durable: false });
    await ask(before.url(), 'create table kept as select 42 as answer');
    await before.stop();
    fs.cpSync(dataDir, `${dataDir}-copy`, { recursive: true });
    fs.rmSync(dataDir, { recursive: true });
    fs.renameSync(`${dataDir}-copy`, dataDir);

    const after = await startPostgres({ dataDir, durable: false });

    expect(await ask(after.url(), 'select answer from kept')).toEqual([{ answer: 42 }]);
  });

  it('comes back at its port, where a command that runs on looks for it, and elsewhere if that is taken', async () => {
    const first = await startPostgres({ dataDir, durable: false });
    await first.stop();
    const second = await startPostgres({ dataDir, durable: false });
    await second.stop();
    const stranger = net.createServer().listen(first.port, '127.0.0.1');
    await once(stranger, 'listening');

    const third = await startPostgres({ dataDir, durable: false });
    stranger.close();

    expect(second).toMatchObject({ port: first.port, adopted: false });
    expect(third.port).not.toBe(first.port);
    expect(await ask(third.url(), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is one server when several start it at once in an empty folder', async () => {
    const pids = await Promise.all([startAndKillStarter(), startAndKillStarter()]);

    expect(new Set(pids).size).toBe(1);
  });

  it('keeps its passwords to the user that started it, and lets nobody in without, nor from elsewhere', async () => {
    const postgres = await startPostgres({ dataDir, durable: false });

    expect(fs.statSync(`${dataDir}.credentials.json`).mode & 0o777).toBe(0o600);
    expect(await ask(postgres.url(), 'show listen_addresses')).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    await expect(
      ask(`postgresql://postgres:postgres@127.0.0.1:${postgres.port}/postgres`, 'select 1'),
    ).rejects.toThrow(/password authentication failed/);
  });

  it('says what to do when its passwords are gone', async () => {
    const postgres = await startPostgres({ dataDir, durable: false });
    await postgres.stop();
    const file = `${dataDir}.credentials.json`;
    const kept = fs.readFileSync(file);
    fs.rmSync(file);

    await expect(startPostgres({ dataDir, durable: false })).rejects.toThrow(/Put the file back/);

    fs.writeFileSync(file, kept, { mode: 0o600 });
  });

  it('gives the service a database whose owner is no superuser, however often it is asked', async () => {
    const postgres = await startPostgres({ dataDir, durable: false });

    const urls = [
      await ensureOwnedDatabase(postgres, 'wms'),
      await ensureOwnedDatabase(postgres, 'wms'),
    ];

    expect(urls[0]).toBe(urls[1]);
    const asOwner = 'select rolsuper, rolbypassrls from pg_roles where rolname = current_user';
    expect(await ask(urls[0] ?? '', asOwner)).toEqual([{ rolsuper: false, rolbypassrls: false }]);
  });
});
