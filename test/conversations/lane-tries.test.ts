import { describe, expect, it } from '@jest/globals';
import { judge } from '../../src/conversations/lane/outcomes.ts';

describe('a message to somebody whom the number wrote to too much (131056)', () => {
  it('is tried six times, each time after a longer wait, and then lost', () => {
    const answer = { kind: 'throttled', scope: 'recipient', reason: 'throttled' } as const;
    const throttled = { ...answer, retryAfterMs: 0, providerCode: 131056 };

    const outcomes = [0, 1, 2, 3, 4, 5].map((attempts) => judge(throttled, attempts).outcome);

    expect(outcomes.slice(0, 5)).toEqual(
      [1, 4, 16, 64, 256].map((seconds) => ({
        status: 'queued',
        delayMs: seconds * 1_000,
        counted: true,
      })),
    );
    expect(outcomes[5]).toMatchObject({
      status: 'failed',
      error: { reason: 'throttled', provider_code: 131056 },
    });
  });
});
