import { expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { openMigrator } from '../../src/db/migrator.ts';
import { newId } from '../../src/ids.ts';
import {
  openEmptyDatabase,
  openTestDatabase,
  type TestDatabase,
  untilWaiting,
} from '../support/database.ts';
import { upgraded } from './support/upgrading.ts';

it('is done once, whole and in order, however many processes start it at once', async () => {
  const { url, close } = await openEmptyDatabase();
  try {
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)]);

    expect(applied.toSorted((a, b) => b.length - a.length)).toEqual([
      migrations.map(({ name }) => name),
      [],
      [],
    ]);
    expect(await pendingMigrations(url)).toEqual([]);
  } finally {
    await close();
  }
});

/** As the release before had it. */
const BEFORE = [
  'facts',
  'outgoing_messages',
  'automation_triggers',
  'automation_runs',
  'events',
  'inbound_webhooks',
]
  .map((table) => `alter table ${table} drop column trace`)
  .concat("delete from migrations where name = '20261122_0053_traces'")
  .join(';');

const WRITE = `
  set app.organization = 'org_00000000000000000000000000';
  insert into facts (organization_id, id, type, is_event, payload)
  values ('org_00000000000000000000000000', '${newId('fct')}', 'test', false, '{}')`;

it('waits for a table without holding up processes of the release before that write to it', async () => {
  const { url, close } = await openTestDatabase();
  const [reader, writer] = [1, 2].map(() => new pg.Client({ connectionString: url }));
  if (!reader || !writer) throw new TypeError('two clients');
  await Promise.all([reader.connect(), writer.connect()]);
  try {
    await writer.query(BEFORE);
    await reader.query('begin; select from facts limit 1');
    let done = false;
    const migrating = migrate(url).finally(() => {
      done = true;
    });
    await untilWaiting(writer);

    // Behind the one that waits, which lets go after two seconds, though the reader goes on.
    await writer.query(WRITE);
    expect(done).toBe(false);
    await reader.query('commit');
    expect(await migrating).toEqual(['20261122_0053_traces']);
  } finally {
    await Promise.all([reader.end(), writer.end()]);
    await close();
  }
});

const NAMES = migrations.map(({ name }) => name);
/** What a database of version 0.1.0 lacks. */
const SINCE_0_1_0 = NAMES.slice(NAMES.findIndex((name) => name.includes('_0047_')) + 1);

/** As version 0.1.0 left it, with a connection of its owner. */
async function openVersionBefore(): Promise<TestDatabase & { readonly owner: pg.Client }> {
  const database = await openEmptyDatabase();
  const orm = await openMigrator(database.url);
  await orm.migrator.up({ to: NAMES[NAMES.length - SINCE_0_1_0.length - 1] ?? '' });
  await orm.close();
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  const close = async (): Promise<void> => {
    await owner.end();
    await database.close();
  };
  return { ...database, owner, close };
}

it('keeps nothing locked that an earlier migration changed, however long a later one waits', async () => {
  const { url, owner: writer, close } = await openVersionBefore();
  const reader = new pg.Client({ connectionString: url });
  await reader.connect();
  try {
    // Facts are changed by the first migration, campaigns by the eighth.
    await reader.query('begin; select from campaigns limit 1');
    const migrating = migrate(url);
    await untilWaiting(writer);

    await writer.query("set statement_timeout = '1s'");
    await writer.query(WRITE);
    await reader.query('commit');
    expect(await migrating).toEqual(SINCE_0_1_0);
  } finally {
    await reader.end();
    await close();
  }
});

it('goes on with the migration that failed, and keeps those before it', async () => {
  const { url, owner, close } = await openVersionBefore();
  try {
    await owner.query('create table merged_contacts ()');
    await expect(migrate(url)).rejects.toThrow('"merged_contacts" already exists');
    const left = await pendingMigrations(url);
    await owner.query('drop table merged_contacts');

    expect(left).toEqual(SINCE_0_1_0.slice(SINCE_0_1_0.indexOf('20261123_0071_merged_people')));
    expect(await migrate(url)).toEqual(left);
  } finally {
    await close();
  }
});

it('ends references of clients without waiting for one who looked one up and now stores it', async () => {
  const { url, close } = await openEmptyDatabase();
  const orm = await openMigrator(url);
  const sender = new pg.Client({ connectionString: url });
  await sender.connect();
  try {
    const names = NAMES.filter((name) => name.includes('_client_refs_'));
    await orm.migrator.up({ to: NAMES[NAMES.indexOf(names[0] ?? '') - 1] ?? '' });
    await sender.query('begin; select from client_refs limit 1');
    // Each is tried once only.
    const applied = (async () => {
      for (const name of names) await orm.migrator.up({ migrations: [name] });
    })();
    await untilWaiting(sender);
    await sender.query('lock client_refs in row exclusive mode; commit');

    await expect(applied).resolves.toBeUndefined();
  } finally {
    await Promise.all([orm.close(), sender.end()]);
    await close();
  }
});

it('opens references of clients to the system in databases between releases too, where they are open', async () => {
  const { url, close } = await openTestDatabase();
  try {
    await upgraded(url, '20261128_0097_client_refs_opened');
  } finally {
    await close();
  }
});
