import { expect, it } from '@jest/globals';
import { errorGuide } from '../../src/http/error-guide/guide.ts';

it.each(['internal', 'unavailable'] as const)(
  'the guide of %s promises nothing of what may have been committed, and says how to repeat it safely',
  (code) => {
    const { when, remedy } = errorGuide[code];

    expect(when).toMatch(/may or may not have taken effect/);
    expect(when).not.toMatch(/undone|Nothing was changed/);
    expect(remedy).toMatch(/Idempotency-Key.*safe/);
  },
);

it.each(['quota', 'invalid_state', 'in_use', 'conflict'] as const)(
  'the guide of %s, which is lifted elsewhere, says that the same call then needs a new key',
  (code) => expect(errorGuide[code].remedy).toMatch(/new one, for this answer is repeated/),
);

it('the guide of request_timeout names the times that headers, bodies and files have', () => {
  expect(errorGuide.request_timeout.when).toMatch(/headers.*5 seconds.*body.*10.*file.*5 minutes/);
});
