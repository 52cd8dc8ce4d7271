import { describe, expect, it } from '@jest/globals';
import type { Evidence } from './random/evidence.ts';
import { judge } from './random/promises.ts';
import type { Receipt } from './support/receiver.ts';

const ORIGIN = 'http://127.0.0.1:1';
const ids = Array.from({ length: 300 }, (_, n) => `evt_${n}`);

/** Each delivery has one attempt on record and so many requests at the receiver. */
function evidenceOf(requests: number, doubtful: ReadonlyMap<string, number>): Evidence {
  const recorded = ids.map((event_id) => ({
    url: `${ORIGIN}/hooks`,
    event_id,
    attempts: 1,
    numbers: [1],
    answered: 1,
  }));
  const receipts = ids.flatMap((webhookId) =>
    Array.from({ length: requests }, () => ({ path: '/hooks', webhookId, body: '' }) as Receipt),
  );
  const stage = {
    receiver: { origin: ORIGIN, receipts },
    rows: async (text: string) => {
      if (text.includes('d.attempts')) return recorded;
      if (text.includes('webhook_attempts')) return [];
      throw new TypeError('only webhooks are looked at');
    },
  };
  return { stage, doubtful, kills: 10, load: { reminders: [] } } as unknown as Evidence;
}

async function holds(requests: number, doubtful: ReadonlyMap<string, number>): Promise<unknown> {
  const verdicts = await judge(evidenceOf(requests, doubtful));
  return verdicts.find(({ id }) => id === 'I3')?.holds;
}

describe('a webhook that is requested once more than is on record', () => {
  const inFlight = (deeds: number) => new Map(ids.map((id) => [`/hooks ${id}`, deeds]));

  it('breaks the promise when it was not in flight as something was hurt', async () => {
    expect(await holds(1, new Map())).toBe(true);
    expect(await holds(2, new Map())).toBe(false);
  });

  it('is allowed once for each time that it was', async () => {
    expect(await holds(2, inFlight(1))).toBe(true);
    expect(await holds(3, inFlight(1))).toBe(false);
    expect(await holds(3, inFlight(2))).toBe(true);
  });
});
