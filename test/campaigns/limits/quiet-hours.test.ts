import { describe, expect, it } from '@jest/globals';
import {
  dayOf,
  nextDay,
  quietFrom,
  quietUntil,
} from '../../../src/campaigns/limits/quiet-hours.ts';

describe('quiet hours', () => {
  const night = { from: '21:00', to: '08:00', timeZone: 'America/Sao_Paulo' };
  const lunch = { from: '12:00', to: '13:30', timeZone: 'Europe/Berlin' };
  const fall = { from: '21:00', to: '01:30', timeZone: 'America/New_York' };

  it.each([
    [night, '2026-11-27T23:59:59Z', null],
    [night, '2026-11-28T00:00:00Z', '2026-11-28T11:00:00.000Z'],
    [night, '2026-11-28T10:59:59Z', '2026-11-28T11:00:00.000Z'],
    [night, '2026-11-28T11:00:00Z', null],
    [lunch, '2026-07-01T10:00:00Z', '2026-07-01T11:30:00.000Z'],
    [lunch, '2026-12-01T10:00:00Z', null],
    // The night of a clock change is an hour shorter, or longer.
    [{ ...night, timeZone: 'Europe/Berlin' }, '2026-03-28T20:00:00Z', '2026-03-29T06:00:00.000Z'],
    [{ ...night, timeZone: 'Europe/Berlin' }, '2026-10-24T19:00:00Z', '2026-10-25T07:00:00.000Z'],
    // Begins in an hour that comes twice: quiet from its first coming to the end of its second.
    [
      { from: '02:30', to: '03:00', timeZone: 'Europe/Berlin' },
      '2026-10-25T01:10:00Z',
      '2026-10-25T02:00:00.000Z',
    ],
    // Ends in an hour that comes twice: at its second coming, however long that makes the night.
    [fall, '2027-11-07T05:15:00Z', '2027-11-07T06:30:00.000Z'],
    [fall, '2027-11-07T06:15:00Z', '2027-11-07T06:30:00.000Z'],
    [fall, '2027-11-07T06:30:00Z', null],
    // Ends in an hour that is skipped: later by that hour.
    [fall, '2027-03-14T05:59:59Z', '2027-03-14T06:30:00.000Z'],
    [{ ...fall, to: '02:30' }, '2027-03-14T06:59:59Z', '2027-03-14T07:30:00.000Z'],
  ])('%j at %s are over at %s', (quiet, at, until) => {
    expect(quietUntil(quiet, new Date(at))?.toISOString() ?? null).toBe(until);
  });

  it('are foreseen, and days begin where the workspace is', () => {
    expect(quietFrom(night, new Date('2026-11-28T00:00:00Z'))?.toISOString()).toBe(
      '2026-11-29T00:00:00.000Z',
    );
    expect(dayOf('America/Sao_Paulo', new Date('2026-11-28T02:59:59Z'))).toBe('2026-11-27');
    expect(nextDay('America/Sao_Paulo', new Date('2026-11-28T02:59:59Z')).toISOString()).toBe(
      '2026-11-28T03:00:00.000Z',
    );
  });
});
