import { describe, expect, it } from '@jest/globals';
import { chaos } from './random/chaos.ts';
import { linesOf } from './random/report.ts';

/** `npm run chaos` does the same by the hundred. */
const SIZES = { kills: 6, recipients: 100, events: 150, runs: 15, reminders: 9 };
const LIMIT_MS = 600_000;

describe('a service whose parts are killed at random', () => {
  it(
    'loses no message and no webhook, and sends nothing twice',
    async () => {
      const seed = Date.now() % 1_000_000;

      const report = await chaos({ ...SIZES, seed }, () => {});

      const broken = linesOf(report).filter((line) => line.startsWith('BROKEN'));
      expect({ seed, broken }).toEqual({ seed, broken: [] });
      expect(report).toMatchObject({ holds: true, seed });
    },
    LIMIT_MS,
  );
});
