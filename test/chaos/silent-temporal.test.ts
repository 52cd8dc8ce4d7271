import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { NO_DOUBT, playOnWire } from './random/wired.ts';

const SIZES = { recipients: 100, events: 100, runs: 15, reminders: 9 };
const TIMES = { loadMs: 8_000, restMs: 180_000 };
const AFTER_MS = 4_000;

describe('a network that forgets every connection to Temporal, without closing one', () => {
  it('costs nobody a message and leaves none in doubt: workers find the server again', async () => {
    let silenced = 0;

    const verdicts = await playOnWire({
      sizes: SIZES,
      ...TIMES,
      trouble: async ({ temporal }, fed) => {
        await sleep(AFTER_MS);
        silenced = temporal.silence();
        await fed;
        return NO_DOUBT;
      },
    });

    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    expect(silenced).toBeGreaterThan(0);
  }, 400_000);
});
