import { describe, expect, it } from '@jest/globals';
import { chaos } from './random/chaos.ts';
import { linesOf } from './random/report.ts';

const SIZES = { kills: 6, recipients: 100, events: 150, runs: 15 };
const LIMIT_MS = 600_000;

describe('a service whose parts are killed at random', () => {
  it(
    'keeps every promise: nothing is lost, sent twice or left over (npm run chaos does this by the hundred)',
    async () => {
      const seed = Date.now() % 1_000_000;

      const report = await chaos({ ...SIZES, seed }, () => {});

      expect(linesOf(report).filter((line) => line.startsWith('BROKEN'))).toEqual([]);
      expect(report).toMatchObject({ holds: true, seed });
    },
    LIMIT_MS,
  );
});
