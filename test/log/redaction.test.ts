import { describe, expect, it } from '@jest/globals';
import { redact } from '../../src/log.ts';

describe('what is written to the log', () => {
  it.each([
    ['a key', 'refused sk_live_0123456789abcdef0123456789abcdef', 'refused sk_live_[redacted]'],
    [
      'a webhook secret',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw is old',
      'whsec_[redacted] is old',
    ],
    ['a bearer token', 'authorization: Bearer abc.def.ghi', 'authorization: Bearer [redacted]'],
    [
      'a secret in an address',
      'GET https://x.example/?token=abc&a=1',
      'GET https://x.example/?token=[redacted]&a=1',
    ],
    [
      'a database password',
      'postgresql://wms_owner:s3cret@db:5432/wms',
      'postgresql://wms_owner:[redacted]@db:5432/wms',
    ],
    ['most of a phone', 'no answer from +5511987654321', 'no answer from +5511…21'],
  ])('never holds %s', (_, said, written) => {
    expect(redact(said)).toBe(written);
  });

  it('leaves ids and ordinary words as they are', () => {
    const line = 'campaign cmp_01M7Y1354SM50XA9HDNNJ4P8KM sent 40 of 40 at 2026-11-21T03:06:13Z';

    expect(redact(line)).toBe(line);
  });
});
