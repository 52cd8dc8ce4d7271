import { describe, expect, it } from '@jest/globals';
import type { When } from '../../src/reminders/rules.ts';
import { nextBirthdayRun, nextRun, runAfter } from '../../src/reminders/schedule.ts';

const when = (wishes: Partial<When>): When => ({
  repeat: 'daily',
  date: null,
  time: '09:00',
  weekday: null,
  month_day: null,
  time_zone: 'America/Sao_Paulo',
  ends_on: null,
  ...wishes,
});

/** The first runs from a moment on, as ISO times without milliseconds. */
function runs(rule: When, from: string, count = 3): string[] {
  const found: string[] = [];
  let next = nextRun(rule, new Date(from));
  while (next && found.length < count) {
    found.push(next.at.toISOString().replace(':00.000Z', 'Z'));
    next = runAfter(rule, next.at);
  }
  return found;
}

describe('the next run', () => {
  it.each<[string, Partial<When>, string, string[]]>([
    [
      'once: its date',
      { repeat: 'once', date: '2026-12-01' },
      '2026-11-21T00:00Z',
      ['2026-12-01T12:00Z'],
    ],
    ['once: never again', { repeat: 'once', date: '2026-12-01' }, '2026-12-01T12:01Z', []],
    [
      'daily: today while there is time',
      {},
      '2026-11-20T12:00Z',
      ['2026-11-20T12:00Z', '2026-11-21T12:00Z', '2026-11-22T12:00Z'],
    ],
    [
      'daily: tomorrow when it is past',
      {},
      '2026-11-20T12:00:01Z',
      ['2026-11-21T12:00Z', '2026-11-22T12:00Z', '2026-11-23T12:00Z'],
    ],
    [
      'daily: not before its start',
      { date: '2027-01-10' },
      '2026-11-20T12:00Z',
      ['2027-01-10T12:00Z', '2027-01-11T12:00Z', '2027-01-12T12:00Z'],
    ],
    [
      'weekdays: Friday, then Monday',
      { repeat: 'weekdays' },
      '2026-11-20T00:00Z',
      ['2026-11-20T12:00Z', '2026-11-23T12:00Z', '2026-11-24T12:00Z'],
    ],
    [
      'weekly: Mondays',
      { repeat: 'weekly', weekday: 1 },
      '2026-11-20T00:00Z',
      ['2026-11-23T12:00Z', '2026-11-30T12:00Z', '2026-12-07T12:00Z'],
    ],
    [
      'weekly: Sundays',
      { repeat: 'weekly', weekday: 7 },
      '2026-11-20T00:00Z',
      ['2026-11-22T12:00Z', '2026-11-29T12:00Z', '2026-12-06T12:00Z'],
    ],
    [
      'monthly: the 31st is the last day',
      { repeat: 'monthly', month_day: 31 },
      '2027-01-31T00:00Z',
      ['2027-01-31T12:00Z', '2027-02-28T12:00Z', '2027-03-31T12:00Z'],
    ],
    [
      'monthly: 29 in February',
      { repeat: 'monthly', month_day: 30 },
      '2028-02-01T00:00Z',
      ['2028-02-29T12:00Z', '2028-03-30T12:00Z', '2028-04-30T12:00Z'],
    ],
    [
      'yearly: the year of its date is the first',
      { repeat: 'yearly', date: '2030-05-04' },
      '2026-11-20T00:00Z',
      ['2030-05-04T12:00Z', '2031-05-04T12:00Z', '2032-05-04T12:00Z'],
    ],
    [
      'yearly: the next anniversary',
      { repeat: 'yearly', date: '1990-05-04' },
      '2026-11-20T00:00Z',
      ['2027-05-04T12:00Z', '2028-05-04T12:00Z', '2029-05-04T12:00Z'],
    ],
    [
      'yearly: 29 February',
      { repeat: 'yearly', date: '2024-02-29' },
      '2026-11-20T00:00Z',
      ['2027-02-28T12:00Z', '2028-02-29T12:00Z', '2029-02-28T12:00Z'],
    ],
    [
      'until its last day, which counts',
      { ends_on: '2026-11-21' },
      '2026-11-20T12:00Z',
      ['2026-11-20T12:00Z', '2026-11-21T12:00Z'],
    ],
    [
      'in the day of the zone, not of Greenwich',
      { time: '22:30' },
      '2026-11-21T01:00Z',
      ['2026-11-21T01:30Z', '2026-11-22T01:30Z', '2026-11-23T01:30Z'],
    ],
  ])('%s', (_, wishes, from, expected) => {
    expect(runs(when(wishes), from)).toEqual(expected);
  });
});

describe('clocks that change', () => {
  const newYork = (time: string, wishes: Partial<When> = {}) =>
    when({ time_zone: 'America/New_York', time, ...wishes });

  it('a time that is skipped moves forward by the gap', () => {
    expect(runs(newYork('02:30'), '2027-03-13T00:00Z')).toEqual([
      '2027-03-13T07:30Z',
      '2027-03-14T07:30Z',
      '2027-03-15T06:30Z',
    ]);
  });

  it('of a time that comes twice only the first counts', () => {
    expect(runs(newYork('01:30'), '2027-11-07T00:00Z', 2)).toEqual([
      '2027-11-07T05:30Z',
      '2027-11-08T06:30Z',
    ]);
    expect(nextRun(newYork('01:30'), new Date('2027-11-07T05:30:01Z'))?.at).toEqual(
      new Date('2027-11-08T06:30Z'),
    );
  });

  it('a gap at midnight does not lose the day before it', () => {
    // Cairo went from 00:00 to 01:00 on 28 April 2023.
    const cairo = when({ time_zone: 'Africa/Cairo', time: '00:30' });

    expect(runs(cairo, '2023-04-26T22:00Z')).toEqual([
      '2023-04-26T22:30Z',
      '2023-04-27T22:30Z',
      '2023-04-28T21:30Z',
    ]);
  });

  it('a day that a country skips is no second run at the same moment', () => {
    // Samoa had no 30 December 2011.
    const samoa = when({ time_zone: 'Pacific/Apia' });
    const found = runs(samoa, '2011-12-29T00:00Z', 4);

    expect(new Set(found).size).toBe(4);
    expect(found).toEqual([...found].sort());
  });
});

describe('birthdays', () => {
  /** Days of the year on which somebody has a birthday. */
  const among =
    (...days: number[]) =>
    async (from: number): Promise<number | null> =>
      days.toSorted((a, b) => a - b).find((day) => day >= from) ?? null;
  const rule = when({ repeat: 'yearly' });
  const next = async (from: string, ...days: number[]) =>
    (await nextBirthdayRun(rule, new Date(from), among(...days)))?.day ?? null;

  it.each<[string, string, number[], string | null]>([
    ['today, while its time is to come', '2026-11-20T11:00Z', [1120, 1121], '2026-11-20'],
    ['the next one, when its time is past', '2026-11-20T13:00Z', [1120, 1121], '2026-11-21'],
    ['next year, when nobody is left this year', '2026-11-20T11:00Z', [104, 1119], '2027-01-04'],
    ['the same day next year, when it is the only one', '2026-11-20T13:00Z', [1120], '2027-11-20'],
    ['29 February on 28 in a common year', '2027-02-10T00:00Z', [229], '2027-02-28'],
    ['29 February on 29 in a leap year', '2028-02-10T00:00Z', [229], '2028-02-29'],
    ['29 February not on 1 March', '2027-02-28T13:00Z', [229, 305], '2027-03-05'],
    ['29 February again when it was kept on 28', '2027-02-28T13:00Z', [229], '2028-02-29'],
    ['never, without anybody', '2026-11-20T11:00Z', [], null],
  ])('are kept %s', async (_, from, days, expected) => {
    expect(await next(from, ...days)).toBe(expected);
  });

  it('end with the reminder', async () => {
    const ending = { ...rule, ends_on: '2026-12-31' };

    const inside = await nextBirthdayRun(ending, new Date('2026-11-20T11:00Z'), among(1231));
    const outside = await nextBirthdayRun(ending, new Date('2026-11-20T11:00Z'), among(101));

    expect(inside?.at).toEqual(new Date('2026-12-31T12:00Z'));
    expect(outside).toBeNull();
  });
});
