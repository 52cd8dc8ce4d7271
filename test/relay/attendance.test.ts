import { expect, it } from '@jest/globals';
import { sqlOver } from '../../src/db/database.ts';
import { takeAttendance } from '../../src/relay/processes/presence.ts';
import { openOwnDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { eventually } from '../support/waiting.ts';

const database = opened(openOwnDatabase);

it('Nobody who is absent counts as gone just after the database was away: they come back within moments, too', async () => {
  const sql = sqlOver(database.system);
  let away = false;
  const attendance = takeAttendance({
    rows: (text, params, name) => (away ? sql.rows('select 1 / 0') : sql.rows(text, params, name)),
  });
  await attendance.ask();
  expect(attendance.sure).toBe(true);

  away = true;
  await expect(attendance.ask()).rejects.toThrow();
  away = false;
  await attendance.ask();
  expect(attendance.sure).toBe(false);

  await eventually(async () => attendance.sure);
});
