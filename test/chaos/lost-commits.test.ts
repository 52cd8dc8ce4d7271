import { describe, expect, it } from '@jest/globals';
import { NO_DOUBT, playOnWire } from './random/wired.ts';

const SIZES = { recipients: 200, events: 200, runs: 30, reminders: 9 };
const TIMES = { loadMs: 15_000, restMs: 180_000 };
/** One of ten commits is never heard of. */
const SHARE = 0.1;

describe('a database that commits without being able to say so', () => {
  it('costs nobody a message or a webhook, leaves nothing in doubt, and repeats nothing', async () => {
    let lost = 0;

    const verdicts = await playOnWire({
      sizes: SIZES,
      ...TIMES,
      trouble: async ({ database }, fed) => {
        database.lose(SHARE);
        await fed;
        database.lose(0);
        lost = database.lost;
        return NO_DOUBT;
      },
    });

    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
    const { figures } = verdicts.find(({ id }) => id === 'I3') ?? {};
    expect(figures).toMatchObject({ beyond: 0 });
    expect(lost).toBeGreaterThan(20);
  }, 400_000);
});
