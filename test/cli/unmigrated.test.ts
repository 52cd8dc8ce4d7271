import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { ensureOwnedDatabase } from '../../src/embedded/postgres/owner.ts';
import { type EmbeddedPostgres, startPostgres } from '../../src/embedded/postgres/postgres.ts';
import { runAlone, type Said } from '../support/shell/terminals.ts';
import { SHELL_KEYS } from '../support/shell.ts';

/** A new server: it knows none of our roles. */
let postgres: EmbeddedPostgres;
let folder: string;
let url: string;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(process.env['TEST_RUN_FOLDER'] ?? '/tmp', 'unmigrated-'));
  fs.chmodSync(folder, 0o755);
  postgres = await startPostgres({ dataDir: path.join(folder, 'pg'), durable: false });
  url = await ensureOwnedDatabase(postgres, 'wms');
});
afterAll(async () => {
  await postgres.stop('immediate');
  fs.rmSync(folder, { recursive: true });
});

const wms = (databaseUrl: string, ...words: string[]): Promise<Said> =>
  runAlone(words, {
    ...process.env,
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    ENCRYPTION_KEYS: SHELL_KEYS,
  });

async function onServer(databaseUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

it('a command says that a database was not migrated, and which command does it', async () => {
  const onNewServer = await wms(url, 'workspace', 'list');
  const migrated = await wms(url, 'migrate');
  const other = await ensureOwnedDatabase(postgres, 'other');
  const besideMigrated = await wms(other, 'workspace', 'list');
  const after = await wms(url, 'workspace', 'list');
  await onServer(url, 'alter table workspaces rename column name to title');
  const behind = await wms(url, 'workspace', 'list');

  const said = [
    1,
    expect.stringMatching(/^The database is not migrated \(.*\)\. Run: wms migrate\n$/),
  ];
  expect([onNewServer.code, onNewServer.err]).toEqual(said);
  expect([besideMigrated.code, besideMigrated.err]).toEqual(said);
  expect([behind.code, behind.err]).toEqual(said);
  expect([migrated.code, after.code]).toEqual([0, 0]);
});

it('a command tells a server that refuses it from one that does not answer', async () => {
  const refused = await wms(url.replace(/:[^:@]+@/, ':wrong@'), 'workspace', 'list');
  const silent = await wms(url.replace(/:\d+\//, ':9/'), 'workspace', 'list');

  expect(refused.err).toMatch(/^The database cannot be used \(password authentication failed/);
  expect(silent.err).toMatch(/^The database does not answer \(.*ECONNREFUSED/);
});
