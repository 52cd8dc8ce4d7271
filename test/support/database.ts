import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { Turns } from '../../src/db/connections/turns.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/db/database.ts';
import { eventually } from './waiting.ts';

function setting(name: string): string {
  const value = process.env[name];
  if (!value) throw new TypeError(`${name} is not set: run the tests by "npm test"`);
  return value;
}

async function asSuperuser(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: setting('TEST_PG_URL') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

export interface TestDatabase {
  /** The owner's address, as DATABASE_URL is elsewhere. */
  readonly url: string;
  /** Another one with everything that is in it now, as a backup has it. Nobody may be connected. */
  copy(): Promise<TestDatabase>;
  close(): Promise<void>;
}

/** A fresh, migrated database, cloned in a few milliseconds: one for each test file. */
export const openTestDatabase = (): Promise<TestDatabase> => cloneOf('tpl');

/** A test database as the service opens it, with the owner's address. */
export interface OwnDatabase extends Database {
  readonly url: string;
}

/** Turns that turn nobody away: what a busy machine asks for it gets later. */
class PatientTurns extends Turns {
  constructor(places: number, share: number) {
    super({ places, share, waitMs: NEVER_MS, longestMs: NEVER_MS });
  }
  override wait(): number {
    return 0;
  }
}

const NEVER_MS = 600_000;

interface OwnDatabaseOptions extends Omit<DatabaseOptions, 'url'> {
  /** It refuses callers while more come than it can serve, as it does outside of tests. */
  readonly refuses?: boolean;
}

/** A fresh one; closing it drops it. */
export async function openOwnDatabase({
  refuses = false,
  ...options
}: OwnDatabaseOptions = {}): Promise<OwnDatabase> {
  const { url, close: drop } = await openTestDatabase();
  const database = await (refuses ? openDatabase : openPatiently)({ ...options, url });
  const close = async (): Promise<void> => {
    await database.close();
    await drop();
  };
  return { ...database, url, close };
}

/** A database that refuses no caller, however long one waits for a turn. */
export async function openPatiently(options: DatabaseOptions): Promise<Database> {
  const opened = await openDatabase(options);
  const readers = opened.reads.options.max;
  const writers = opened.app.options.max;
  const turns = {
    reads: new PatientTurns(readers, readers),
    writes: new PatientTurns(writers, Math.ceil(writers / 3)),
  };
  return { ...opened, turns };
}

/** One that nothing is in, not even a migration. */
export const openEmptyDatabase = (): Promise<TestDatabase> => cloneOf('template1');

async function cloneOf(template: string): Promise<TestDatabase> {
  const name = `t_${randomBytes(6).toString('hex')}`;
  await asSuperuser(async (client) => {
    // Copying files beats logging each page, as long as nothing is synced to disk.
    await client.query(
      `create database ${name} template ${template} owner wms_owner strategy file_copy`,
    );
  });
  const url = new URL(setting('TEST_PG_OWNER_URL'));
  url.pathname = `/${name}`;
  const close = (): Promise<void> =>
    asSuperuser(async (client) => {
      await client.query(`drop database if exists ${name} with (force)`);
    });
  return { url: url.href, copy: () => cloneOf(name), close };
}

interface Asked {
  query(text: string): Promise<{ readonly rows: readonly unknown[] }>;
}

const WAITING = `
select from pg_locks l join pg_stat_activity a using (pid) where not l.granted and a.datname = current_database()`;

/** How many statements wait for a lock in the database of a pool or client; of other databases nothing is counted. */
export const statementsWaiting = async (asked: Asked): Promise<number> =>
  (await asked.query(WAITING)).rows.length;

/** Until a statement, or so many, wait for what another transaction holds. */
export const untilWaiting = (asked: Asked, atLeast = 1): Promise<void> =>
  eventually(async () => (await statementsWaiting(asked)) >= atLeast);
