import { mock } from 'node:test';
import { afterEach, expect, it } from '@jest/globals';
import { sqlOver } from '../../src/db/database.ts';
import { createPresenceCache } from '../../src/relay/processes/presence.ts';
import { openOwnDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

afterEach(() => mock.restoreAll());

it('Nobody who is absent counts as gone just after the database was away: they come back within moments, too', async () => {
  // Moments are as long as the test says, however slow the machine is.
  let now = performance.now();
  mock.method(performance, 'now', () => now);
  const sql = sqlOver(database.system);
  let away = false;
  const presenceCache = createPresenceCache({
    rows: (text, params, name) => (away ? sql.rows('select 1 / 0') : sql.rows(text, params, name)),
  });
  await presenceCache.ask();
  expect(presenceCache.sure).toBe(true);

  away = true;
  await expect(presenceCache.ask()).rejects.toThrow();
  away = false;
  await presenceCache.ask();
  expect(presenceCache.sure).toBe(false);

  now += 3_000;
  expect(presenceCache.sure).toBe(true);
});
