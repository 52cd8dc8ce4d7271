import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { migrate, pendingMigrations } from '../../src/db/migrate.ts';
import { migrations } from '../../src/db/migrations/index.ts';
import { newId } from '../../src/ids.ts';
import { openEmptyDatabase, openTestDatabase } from '../support/database.ts';
import { statementsWaiting } from '../support/waiting.ts';

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
    while ((await statementsWaiting(writer)) === 0) await sleep(20);

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
