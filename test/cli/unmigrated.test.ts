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

it('a command says in a sentence what the database cannot do now, as with a full disk', async () => {
  const filled = await ensureOwnedDatabase(postgres, 'filled');
  await wms(filled, 'migrate');
  await onServer(postgres.url(), 'alter database filled set default_transaction_read_only = on');
  const { code, err } = await wms(
    filled,
    ...['workspace', 'create', '--name', 'Aurora', '--plan', 'escala'],
    ...[
      '--owner-email',
      'a@example.com',
      '--time-zone',
      'America/Sao_Paulo',
      '--language',
      'pt-BR',
    ],
  );

  expect(code).toBe(1);
  expect(err).toMatch(/^The database cannot do that now \(cannot execute .+ transaction\)\.\n$/);
});

it('wms migrate says what is wrong with a database, and no more', async () => {
  const silent = await wms(url.replace(/:\d+\//, ':9/'), 'migrate');
  const missing = await wms(url.replace(/\/wms$/, '/nowhere'), 'migrate');
  const old = await ensureOwnedDatabase(postgres, 'old');
  // What a server of another version answers: its own functions come second here.
  await onServer(old, 'create schema before');
  await onServer(
    old,
    `create function before.current_setting(text) returns text language sql
       as $$ select case $1 when 'server_version_num' then '150018' else '15.18' end $$`,
  );
  await onServer(old, 'alter database old set search_path = before, pg_catalog, public');
  const tooOld = await wms(old, 'migrate');

  const todo = '. Start the service (npm start) or set DATABASE_URL.\n';
  expect([silent.code, silent.err]).toEqual([
    1,
    `The database cannot be used: connect ECONNREFUSED 127.0.0.1:9${todo}`,
  ]);
  expect(missing.err).toBe(`The database cannot be used: database "nowhere" does not exist${todo}`);
  expect(tooOld.err).toBe(
    `The database cannot be used: PostgreSQL 15.18 is too old: 16 or later is needed${todo}`,
  );
});

it('a role that bypasses row level security is refused, with what takes that from it', async () => {
  const other = await ensureOwnedDatabase(postgres, 'bypassed');
  await wms(other, 'migrate');
  await onServer(postgres.url(), 'alter role wms_system bypassrls');
  const refused = await wms(other, 'workspace', 'list');
  await onServer(postgres.url(), 'alter role wms_system nosuperuser nobypassrls');
  const after = await wms(other, 'workspace', 'list');

  expect(refused.err).toMatch(
    /^The database cannot be used \(.*wms_system bypasses .*: alter role wms_system nosuperuser nobypassrls\)/,
  );
  expect(after.code).toBe(0);
});
