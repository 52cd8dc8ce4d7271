import { execFileSync } from 'node:child_process';
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
    ["an app's secret", 'cs_live_0123456789abcdef is old', 'cs_live_[redacted] is old'],
    ['a key in an address', 'GET /v1?a=1&key=abc', 'GET /v1?a=1&key=[redacted]'],
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

/** What a process that logs these entries, each the arguments of one call, writes to its standard output. */
function written(...entries: readonly string[]): string[] {
  const module = new URL('../../src/log.ts', import.meta.url);
  const script = `import { createLog } from '${module}';
    const log = createLog({ level: 'info', format: 'json' });
    ${entries.map((entry) => `log.error(${entry});`).join('\n')}`;
  const args = ['--input-type=module', '--eval', script];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }).trimEnd().split('\n');
}

describe('a line of the log', () => {
  it('holds no secret of its words, nor of an error and its cause', () => {
    const [words, error] = written(
      "'refused %s, as before', 'Bearer hunter2'",
      "{ err: new Error('no sk_live_hunter2', { cause: new Error('postgres://a:hunter2@db') }) }, 'failed'",
    );

    expect(words).toContain('refused Bearer [redacted], as before');
    expect(error).toContain('no sk_live_[redacted]');
    expect(error).toContain('postgres://a:[redacted]@db');
    expect([words, error].join()).not.toContain('hunter2');
  });

  it('holds none of what was thrown though it is no error', () => {
    const [thrown, caused] = written(
      "{ err: 'no sk_live_hunter2' }, 'failed'",
      "{ err: new Error('no', { cause: 'Bearer hunter2' }) }, 'failed'",
    );

    expect(thrown).toContain('no sk_live_[redacted]');
    expect(caused).toContain('Bearer [redacted]');
  });

  it('says of a field that holds a secret that there was one, and not which', () => {
    const fields = [
      'authorization',
      'secret',
      'password',
      'token',
      'key',
      'access_token',
      'cookie',
    ];
    const lines = written(
      ...fields.map((field) => `{ ${field}: 'hunter2', about: { ${field}: 'hunter2' } }, 'said'`),
    );

    expect(lines.map((line) => JSON.parse(line))).toMatchObject(
      fields.map((field) => ({ [field]: '[redacted]', about: { [field]: '[redacted]' } })),
    );
  });
});
