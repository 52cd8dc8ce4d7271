import { afterEach, describe, expect, it } from '@jest/globals';
import { head, receivers, says, textOf } from './support/receiver.ts';

const { receiver, close } = receivers();
afterEach(close);

describe('the stored part of an answer', () => {
  const answers = (body: Buffer | string) => {
    const bytes = Buffer.from(body);
    return says(Buffer.concat([Buffer.from(head(`Content-Length: ${bytes.length}\r\n`)), bytes]));
  };

  it('is its first 500 characters, cut between characters', async () => {
    const { post } = await receiver(answers('👋'.repeat(2_000)));

    expect(textOf(await post())).toBe('👋'.repeat(500));
  });

  it('is storable text, whatever bytes came', async () => {
    const { post } = await receiver(
      answers(Buffer.concat([Buffer.from('a\0b'), Buffer.from([0xff, 0xed, 0xa0, 0x80])])),
    );

    const text = textOf(await post()) ?? '';

    expect(text.startsWith('ab\ufffd')).toBe(true);
    expect(text.isWellFormed()).toBe(true);
    expect(text).not.toContain('\0');
  });

  it('is empty when the answer has no body', async () => {
    const { post } = await receiver(says('HTTP/1.1 204 No Content\r\n\r\n'));

    expect(await post()).toMatchObject({ kind: 'delivered', code: 204, response: '' });
  });
});

describe('Retry-After', () => {
  const refusing = (value: string) =>
    says(`HTTP/1.1 503 Later\r\nRetry-After: ${value}\r\nContent-Length: 0\r\n\r\n`);

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['-1', null],
    ['soon', null],
    ['1796058883', 1_796_058_883_000],
    ['99999999999999999999', 1e23],
    ['Sat, 01 Jan 2000 00:00:00 GMT', 0],
  ])('of %s asks for %s ms', async (value, expected) => {
    const { post } = await receiver(refusing(value));

    expect(await post()).toMatchObject({ error: 'status', code: 503, retryAfterMs: expected });
  });

  it('may be a date', async () => {
    const { post } = await receiver(refusing(new Date(Date.now() + 600_000).toUTCString()));

    const outcome = await post();

    expect(outcome.kind === 'failed' && outcome.retryAfterMs).toBeGreaterThan(300_000);
    expect(outcome.kind === 'failed' && outcome.retryAfterMs).toBeLessThanOrEqual(600_000);
  });
});
