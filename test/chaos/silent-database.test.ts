import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { goingOn } from './random/deeds.ts';
import { leased } from './random/doubts.ts';
import { playOnWire } from './random/wired.ts';

const SIZES = { recipients: 100, events: 100, runs: 15, reminders: 9 };
const TIMES = { loadMs: 8_000, restMs: 180_000 };
const AFTER_MS = 4_000;
/** At the fastest pace a claim reserves 20; two workers may be at one whose answer never comes. */
const BEING_RESERVED = 40;

describe('a network that forgets every connection to the database, without closing one', () => {
  it('costs nobody a message: both sides give them up, also what their transactions had locked', async () => {
    const verdicts = await playOnWire({
      sizes: SIZES,
      ...TIMES,
      trouble: async ({ database }, fed, stage) => {
        await sleep(AFTER_MS);
        const { inFlight } = await goingOn(stage);
        const before = await leased(stage);
        database.silence();
        // What a retry was answered is lost with the connection that it was to be written down by.
        const webhooks = new Set([...before, ...(await leased(stage))]);
        const doubtful = new Map([...webhooks].map((id) => [id, 1]));
        await fed;
        return { inFlight: inFlight + BEING_RESERVED, doubtful };
      },
    });

    expect(verdicts.filter(({ holds }) => !holds)).toEqual([]);
  }, 400_000);
});
