import { describe, expect, it } from '@jest/globals';
import { timeZone } from '../../src/http/fields.ts';
import { nextRun } from '../../src/reminders/schedule.ts';
import { openOwnDatabase } from '../support/database.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

const isAccepted = (name: string): boolean => timeZone().safeParse(name).success;

describe('a time zone', () => {
  it.each([
    ...['CST', 'IST', 'BST', 'PST', 'SystemV/PST8', '-03:00', '+05:30', 'GMT+3', 'UTC+1'],
    ...['Mars/Base', 'America/', 'localtime', ''],
  ])('is not %s', (name) => {
    expect(isAccepted(name)).toBe(false);
  });

  it.each([
    ['america/sao_paulo', 'America/Sao_Paulo'],
    ['AMERICA/ARGENTINA/BUENOS_AIRES', 'America/Argentina/Buenos_Aires'],
    ['utc', 'UTC'],
    // An older name stays: only its letters are as they are written.
    ['us/pacific', 'US/Pacific'],
    ['Asia/Calcutta', 'Asia/Calcutta'],
  ])('%s is kept as %s, for many libraries know no other letters', (given, kept) => {
    expect(timeZone().parse(given)).toBe(kept);
  });

  it('is every name that there is, with which reminders and the database can do something', async () => {
    const names = ['UTC', 'Etc/GMT+3', 'EST', ...Intl.supportedValuesOf('timeZone')];
    const rule = { repeat: 'daily', time: '09:00', date: null, ends_on: null } as const;
    const days = { weekday: null, month_day: null };

    expect(names.filter((name) => !isAccepted(name))).toEqual([]);
    for (const name of names)
      expect(nextRun({ ...rule, ...days, time_zone: name }, new Date())).not.toBeNull();
    const { rows } = await database.system.query(
      'select count(timezone(name, now()))::int as known from unnest($1::text[]) name',
      [names],
    );
    expect(rows).toEqual([{ known: names.length }]);
  });
});
