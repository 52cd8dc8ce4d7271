import fs from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { REPEATS, type When } from '../../src/reminders/rules.ts';
import { momentOfDay, nextRun, runAfter, runAfterDay } from '../../src/reminders/schedule.ts';

type Repeat = (typeof REPEATS)[number];
/** The first moment in minutes since 1970, and what passes until the next ones: [minutes, times]. */
type Told = readonly [number, ...(readonly [number, number])[]];
type Zone = Readonly<Record<Repeat, Told>> & { readonly time: string };

const expected: Readonly<Record<string, Zone>> = JSON.parse(
  fs.readFileSync(new URL('./expected/runs.json', import.meta.url), 'utf8'),
);
const MINUTE_MS = 60_000;
const FROM = '2026-11-21';
const DAYS = 400;

function momentsOf([first, ...steps]: Told): string[] {
  const minutes = [first];
  for (const [step, times] of steps)
    for (let n = 0; n < times; n += 1) minutes.push((minutes.at(-1) ?? 0) + step);
  return minutes.map((minute) => new Date(minute * MINUTE_MS).toISOString());
}

const ruleOf = (repeat: Repeat, time_zone: string, time: string): When => ({
  repeat,
  date: { once: '2027-03-14', yearly: '2024-02-29' }[repeat as string] ?? null,
  time,
  weekday: repeat === 'weekly' ? 7 : null,
  month_day: repeat === 'monthly' ? 31 : null,
  time_zone,
  ends_on: '2027-12-25',
});

const cases = Object.entries(expected).flatMap(([zone, told]) =>
  REPEATS.map((repeat) => ({ zone, repeat, time: told.time, told: told[repeat] })),
);

describe(`${DAYS} days of a reminder`, () => {
  it.each(cases)('$repeat at $time in $zone are the runs that another calendar finds', (each) => {
    const { zone, repeat, time, told } = each;
    const rule = ruleOf(repeat, zone, time);
    const byDay: string[] = [];
    const byMoment: string[] = [];
    const first = nextRun(rule, momentOfDay(rule, FROM));
    for (let run = first; run; run = runAfterDay(rule, run.day)) byDay.push(run.at.toISOString());
    for (let run = first; run; run = runAfter(rule, run.at)) byMoment.push(run.at.toISOString());

    expect(byDay).toEqual(momentsOf(told));
    expect(byMoment).toEqual(byDay);
  });

  it('are at least twelve zones, and clocks that change within most of them', () => {
    const changing = Object.values(expected).filter(({ daily }) => daily.length > 2);

    expect(Object.keys(expected)).toHaveLength(12);
    expect(changing.length).toBeGreaterThanOrEqual(8);
  });
});
