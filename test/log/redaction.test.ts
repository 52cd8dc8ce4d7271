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
    [
      'whose e-mail address it is',
      'all recipients were rejected: 550 5.1.1 <ana.lima@mail.example.org>: User unknown',
      'all recipients were rejected: 550 5.1.1 <a…@mail.example.org>: User unknown',
    ],
  ])('never holds %s', (_, said, written) => {
    expect(redact(said)).toBe(written);
  });

  it.each([
    ['ids', 'campaign cmp_01M7Y1354SM50XA9HDNNJ4P8KM sent 40 of 40 at 2026-11-21T03:06:13Z'],
    ['the files of a stack', 'at run (/app/node_modules/@scope/part@1.2.3/lib/at.js:7:1)'],
  ])('leaves %s and ordinary words as they are', (_, line) => {
    expect(redact(line)).toBe(line);
  });
});
