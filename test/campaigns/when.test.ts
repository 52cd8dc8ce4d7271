import { describe, expect, it } from '@jest/globals';
import { readWhen } from '../../src/campaigns/draft/when.ts';

const read = (text: string, timeZone = 'America/Sao_Paulo', now = '2026-11-20T12:00:00Z') => {
  const when = readWhen(text, { timeZone, now: new Date(now) });
  return when instanceof Date ? when.toISOString() : when.rule;
};

describe('when a campaign is to be sent', () => {
  it.each([
    ['2026-12-01T09:00:00-03:00', '2026-12-01T12:00:00.000Z'],
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00', '2026-12-01T12:00:00.000Z'],
    ['2026-12-01T09:00:30.5', '2026-12-01T12:00:30.500Z'],
    ['2026-11-20T12:05:00Z', '2026-11-20T12:05:00.000Z'],
    ['2027-11-20T12:00:00Z', '2027-11-20T12:00:00.000Z'],
  ])('reads %s as %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    [
      'a time that does not exist moves forward by the gap',
      '2027-03-14T02:30',
      '2027-03-14T07:30:00.000Z',
    ],
    ['of a time that comes twice the first counts', '2027-11-07T01:30', '2027-11-07T05:30:00.000Z'],
  ])('%s', (_, text, expected) => {
    expect(read(text, 'America/New_York', '2026-12-20T12:00:00Z')).toBe(expected);
  });

  it.each([
    ['2026-11-20T12:04:59Z', 'when_range'],
    ['2026-11-19T12:00:00Z', 'when_range'],
    ['2027-11-20T12:00:01Z', 'when_range'],
    ['2026-12-01', 'date_time'],
    ['2026-12-01 09:00', 'date_time'],
    ['2026-13-01T09:00', 'date_time'],
    ['2026-02-30T09:00:00Z', 'date_time'],
    ['2026-12-01T25:00Z', 'date_time'],
    ['2026-12-01T09:00[America/New_York]', 'date_time'],
    ['tomorrow', 'date_time'],
    ['', 'date_time'],
  ])('refuses %j by the rule %s', (text, rule) => {
    expect(read(text)).toBe(rule);
  });
});
