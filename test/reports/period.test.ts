import { describe, expect, it } from '@jest/globals';
import { periodOf } from '../../src/reports/period.ts';

const NOW = new Date('2026-11-21T02:30:00Z');
const SAO_PAULO = 'America/Sao_Paulo';

describe('the period of a report', () => {
  it('is counted in whole days of the zone, both ends included, before one as long', () => {
    const period = periodOf({ period: '7d' }, SAO_PAULO, NOW);

    // It is still the 20th in São Paulo.
    expect([period.from, period.to]).toEqual(['2026-11-14', '2026-11-20']);
    expect([period.previous.from, period.previous.to]).toEqual(['2026-11-07', '2026-11-13']);
    expect(period.days).toHaveLength(7);
    expect(period.days[0]?.start).toEqual(new Date('2026-11-14T03:00:00Z'));
    expect(period.days[6]?.end).toEqual(new Date('2026-11-21T03:00:00Z'));
  });

  it('compares today with yesterday up to the same time of the clock', () => {
    const period = periodOf({ period: 'today' }, SAO_PAULO, NOW);

    expect(period.previous.days).toEqual([
      {
        day: '2026-11-19',
        start: new Date('2026-11-19T03:00:00Z'),
        end: new Date('2026-11-20T02:30:00Z'),
        whole: false,
      },
    ]);
  });

  it('compares by the clock also when yesterday was an hour longer', () => {
    const noon = new Date('2026-11-02T17:00:00Z');

    const { previous } = periodOf({ period: 'today' }, 'America/New_York', noon);

    expect(previous.days.map(({ start, end }) => [start, end])).toEqual([
      [new Date('2026-11-01T04:00:00Z'), new Date('2026-11-01T17:00:00Z')],
    ]);
  });

  it('knows that days of clock changes are shorter and longer', () => {
    const hours = (from: string): number[] =>
      periodOf(
        { period: 'custom', from, to: from },
        'America/New_York',
        new Date('2026-12-01'),
      ).days.map(({ start, end }) => (end.getTime() - start.getTime()) / 3_600_000);

    expect(hours('2026-03-08')).toEqual([23]);
    expect(hours('2026-11-01')).toEqual([25]);
  });

  it.each([
    [{ from: '2026-11-01' }, 'to', 'required'],
    [{ to: '2026-11-01' }, 'from', 'required'],
    [{ from: '2026-11-02', to: '2026-11-01' }, 'to', 'range'],
    [{ from: '2026-11-01', to: '2026-11-21' }, 'to', 'range'],
    [{ from: '2025-11-19', to: '2026-11-20' }, 'from', 'range'],
  ])('refuses %j and names the field', (dates, path, rule) => {
    expect(() => periodOf({ period: 'custom', ...dates }, SAO_PAULO, NOW)).toThrow(
      expect.objectContaining({
        code: 'validation',
        details: [expect.objectContaining({ path, rule })],
      }),
    );
  });

  it('takes 366 days, as a leap year has', () => {
    expect(
      periodOf({ period: 'custom', from: '2025-11-20', to: '2026-11-20' }, SAO_PAULO, NOW).days,
    ).toHaveLength(366);
  });
});
