import { randomInt } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { When } from '../../src/reminders/rules.ts';
import { nextRun, runAfter } from '../../src/reminders/schedule.ts';

const ZONES = [
  'America/Sao_Paulo',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'UTC',
];
const DAY_MS = 86_400_000;

const pick = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T;
const two = (n: number): string => String(n).padStart(2, '0');
const isLeap = (year: number): boolean => new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1;
const lastOf = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate();

/** Whether a rule has a run on this day, decided for the day alone. */
function runsOn({ repeat, date, weekday, month_day, ends_on }: When, day: string): boolean {
  if (ends_on !== null && day > ends_on) return false;
  const at = new Date(`${day}T00:00Z`);
  const [year, month, dayOfMonth] = day.split('-').map(Number) as [number, number, number];
  const isoDay = at.getUTCDay() || 7;
  switch (repeat) {
    case 'once':
      return day === date;
    case 'daily':
      return date === null || day >= date;
    case 'weekdays':
      return isoDay < 6;
    case 'weekly':
      return isoDay === weekday;
    case 'monthly':
      return dayOfMonth === Math.min(month_day ?? 0, lastOf(year, month));
    case 'yearly': {
      const anniversary = (date ?? '').slice(5);
      const kept = anniversary === '02-29' && !isLeap(year) ? '02-28' : anniversary;
      return day >= (date ?? '') && day.slice(5) === kept;
    }
  }
}

/** The wall clock of a zone at a moment, as `Intl` writes it: not by the library under test. */
function clockIn(zone: string, at: Date): { day: string; time: string } {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
    hourCycle: 'h23',
  }).format(at);
  const [day = '', time = ''] = parts.split(', ');
  return { day, time };
}

function aRule(): When {
  const repeat = pick(['once', 'daily', 'weekdays', 'weekly', 'monthly', 'yearly'] as const);
  const date = `${randomInt(2024, 2029)}-${two(randomInt(1, 13))}-${two(randomInt(1, 29))}`;
  const leapDay = randomInt(4) === 0 ? '2028-02-29' : date;
  return {
    repeat,
    date: repeat === 'once' || repeat === 'yearly' ? leapDay : pick([null, date]),
    time: `${two(randomInt(24))}:${two(pick([0, 15, 30, 59]))}`,
    weekday: randomInt(1, 8),
    month_day: randomInt(1, 32),
    time_zone: pick(ZONES),
    ends_on: pick([null, null, `${randomInt(2026, 2032)}-06-15`]),
  };
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);

const DAYS_AHEAD = 2_600;

/** The day of the next run, by looking at one day after another. */
function naiveDay(rule: When, from: Date): string | null {
  const today = clockIn(rule.time_zone, from);
  let day = today.time <= rule.time ? today.day : dayAfter(today.day, 1);
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead++) {
    if (runsOn(rule, day)) return day;
    day = dayAfter(day, 1);
  }
  return null;
}

describe('any rule from any moment', () => {
  it('runs next on the first day that a search day by day finds, on its clock', () => {
    const ruled = Array.from({ length: 800 }, () => ({
      rule: aRule(),
      from: new Date(Date.UTC(2026, 0, 1) + randomInt(3 * 365 * 1_440) * 60_000),
    }));
    // In the hours around a clock change a wall clock cannot say what is past: there the table speaks.
    const plain = ruled.filter(({ rule, from }) => !changesAround(rule.time_zone, from));

    for (const { rule, from } of plain) {
      const next = nextRun(rule, from);
      expect({ rule, from, day: next?.day ?? null }).toEqual({
        rule,
        from,
        day: naiveDay(rule, from),
      });
      if (next && !changesAround(rule.time_zone, next.at))
        expect(clockIn(rule.time_zone, next.at)).toEqual({ day: next.day, time: rule.time });
    }
    expect(plain.length).toBeGreaterThan(600);
  });

  it('never goes back, never stands still, and has one run a day at most', () => {
    for (let n = 0; n < 300; n++) {
      const rule = aRule();
      let last = nextRun(rule, new Date(Date.UTC(2026, randomInt(12), 1)));
      for (let step = 0; last && step < 40; step++) {
        const next = runAfter(rule, last.at);
        if (!next) break;
        expect(next.at > last.at && next.day > last.day).toBe(true);
        last = next;
      }
    }
  });
});

/** Whether the zone's clocks change within a day of the moment. */
function changesAround(zone: string, at: Date): boolean {
  const offset = (ms: number): string =>
    new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
      .format(new Date(ms))
      .replace(/^.*GMT/, '');
  return offset(at.getTime() - DAY_MS) !== offset(at.getTime() + DAY_MS);
}
