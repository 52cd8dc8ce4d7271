import { describe, expect, it } from '@jest/globals';
import { durationMs } from '../../src/automations/rules.ts';

describe('a duration', () => {
  it.each([
    ['PT1S', 1000],
    ['PT90M', 5_400_000],
    ['P1D', 86_400_000],
    ['P1DT12H', 129_600_000],
    ['P2W', 1_209_600_000],
    ['P365D', 31_536_000_000],
  ])('%s is %d ms', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  it.each(['', 'P', 'PT', 'P1DT', '1D', 'P1Y', 'P1M', '-P1D', 'PT1.5H', 'P1D ', 'p1d', 'PT1H1D'])(
    '%p is none',
    (text) => {
      expect(durationMs(text)).toBeNull();
    },
  );
});
