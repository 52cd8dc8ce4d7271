import { describe, expect, it } from '@jest/globals';
import { createJudge } from '../../../src/campaigns/batches/judging.ts';
import { claimed } from '../support/claimed.ts';

const turnedAway = { kind: 'throttled', scope: 'recipient', retryAfterMs: 1_000 } as const;

describe('a recipient whom WhatsApp turns away', () => {
  it.each([
    ['as the number writes too much to them (131056)', 'throttled', 131056],
    ['without another reason (131000)', 'provider_error', 131000],
  ] as const)('%s is tried six times, and then lost', (_, reason, providerCode) => {
    const result = { ...turnedAway, reason, providerCode };

    const outcomes = [1, 2, 3, 4, 5, 6].map((attempts) =>
      createJudge({ recent: [], refusals: 0 }).judge({ ...claimed, attempts }, result),
    );

    expect(outcomes.slice(0, 5).map((one) => one.status === 'pending' && one.delayMs)).toEqual([
      1_000, 4_000, 16_000, 64_000, 256_000,
    ]);
    expect(outcomes[5]).toMatchObject({
      status: 'failed',
      error: { reason, provider_code: providerCode },
    });
  });
});
