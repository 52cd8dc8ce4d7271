import { describe, expect, it } from '@jest/globals';
import { attendedAt, attendedUntil } from '../../src/numbers/hours.ts';
import { type DayHours, inHours } from '../../src/numbers/rules.ts';

const CLOSED: DayHours = { open: false, from: '09:00', to: '18:00' };
const week = (days: Readonly<Record<number, DayHours>>): DayHours[] =>
  Array.from({ length: 7 }, (_, i) => days[i + 1] ?? CLOSED);
const day = (from: string, to: string): DayHours => ({ open: true, from, to });

describe('the hours of a number', () => {
  it.each([
    ['opens at its first minute', week({ 1: day('09:00', '18:00') }), 1, '09:00', true],
    ['is closed a minute before', week({ 1: day('09:00', '18:00') }), 1, '08:59', false],
    ['is open in its last minute', week({ 1: day('09:00', '18:00') }), 1, '17:59', true],
    ['is closed at its end', week({ 1: day('09:00', '18:00') }), 1, '18:00', false],
    ['is closed on another day', week({ 1: day('09:00', '18:00') }), 2, '12:00', false],
    ['is closed on a day that is not open, whatever its times', week({}), 3, '12:00', false],
    [
      'is open all day when both times are equal',
      week({ 3: day('08:00', '08:00') }),
      3,
      '00:00',
      true,
    ],
    ['ends that day at midnight', week({ 3: day('08:00', '08:00') }), 4, '00:00', false],
    ['runs past midnight', week({ 5: day('18:00', '02:00') }), 6, '01:59', true],
    ['ends there in time', week({ 5: day('18:00', '02:00') }), 6, '02:00', false],
    [
      'is not open in the morning before the night',
      week({ 5: day('18:00', '02:00') }),
      5,
      '01:00',
      false,
    ],
    ['runs from Sunday into Monday', week({ 7: day('22:00', '00:30') }), 1, '00:29', true],
    ['may end at midnight exactly', week({ 2: day('18:00', '00:00') }), 2, '23:59', true],
    ['and then is closed the next day', week({ 2: day('18:00', '00:00') }), 3, '00:00', false],
  ])('%s', (_, hours, weekday, time, open) => {
    expect(inHours(hours, { weekday, time })).toBe(open);
  });

  it('are always open without any', () => {
    expect(inHours(null, { weekday: 7, time: '03:00' })).toBe(true);
  });

  it('are read on the clock of the workspace, in summer and winter', () => {
    const hours = week({ 1: day('09:00', '18:00') });
    const at = (moment: string, zone: string): boolean => attendedAt(hours, new Date(moment), zone);

    // Monday 2026-11-23: 09:00 in São Paulo is noon in UTC.
    expect(at('2026-11-23T11:59:59Z', 'America/Sao_Paulo')).toBe(false);
    expect(at('2026-11-23T12:00:00Z', 'America/Sao_Paulo')).toBe(true);
    expect(at('2026-07-20T07:00:00Z', 'Europe/Lisbon')).toBe(false);
    expect(at('2026-07-20T08:00:00Z', 'Europe/Lisbon')).toBe(true);
    expect(at('2026-11-23T08:00:00Z', 'Europe/Lisbon')).toBe(false);
  });

  it.each([
    ['at their next beginning', '2026-11-23T08:30:00', '2026-11-23T09:00:00'],
    ['at their end', '2026-11-23T09:00:00', '2026-11-23T18:00:00'],
    ['over days that are closed', '2026-11-23T18:00:00', '2026-11-27T18:00:00'],
    ['past midnight', '2026-11-27T18:00:00', '2026-11-28T02:00:00'],
    ['a week later', '2026-11-28T02:00:00', '2026-11-30T09:00:00'],
  ])('change %s', (_, now, then) => {
    const hours = week({ 1: day('09:00', '18:00'), 5: day('18:00', '02:00') });

    const changes = attendedUntil(hours, new Date(`${now}-03:00`), 'America/Sao_Paulo');

    expect(changes).toEqual(new Date(`${then}-03:00`));
  });

  it('change with the clocks of the zone', () => {
    const change = (open: DayHours, now: string): Date | null =>
      attendedUntil(week({ 7: open }), new Date(now), 'America/New_York');

    // There is no 02:30 on that Sunday: at 02:00 it is 03:00.
    expect(change(day('02:30', '05:00'), '2027-03-14T05:00:00Z')).toEqual(
      new Date('2027-03-14T07:00:00Z'),
    );
    // On this one the hour from 01:00 on comes twice.
    const night = day('00:30', '01:30');
    const ends = ['05:30', '06:00', '06:30'].map((time) => new Date(`2027-11-07T${time}:00Z`));
    const begins = ['04:45', '05:30', '06:00'].map((time) => `2027-11-07T${time}:00Z`);
    expect(begins.map((now) => change(night, now))).toEqual(ends);
  });

  it.each([
    ['without any', null],
    ['that are never open', week({})],
    ['that are always open', Array.from({ length: 7 }, () => day('08:00', '08:00'))],
  ])('never change %s', (_, hours) => {
    expect(attendedUntil(hours, new Date(), 'Europe/Lisbon')).toBeNull();
  });
});
