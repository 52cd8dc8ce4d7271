import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/waiting.ts';
import {
  closedByUs,
  DEADLINE_MS,
  floods,
  HANGS_MS,
  head,
  receivers,
  says,
  textOf,
} from './support/receiver.ts';
import { type Behaviour, ok } from './support/servers.ts';

const { receiver, close } = receivers();
afterEach(close);

describe('a slow receiver', () => {
  it('succeeds inside the deadline and times out outside of it', async () => {
    const late = (ms: number): Behaviour => {
      return (socket) => setTimeout(() => ok(socket, ''), ms);
    };
    const inside = await receiver(late(400));
    const outside = await receiver(() => {}, DEADLINE_MS);

    const [first, second] = await Promise.all([inside.post(), outside.post()]);

    expect(first).toMatchObject({ kind: 'delivered', code: 200 });
    expect(first.durationMs).toBeGreaterThanOrEqual(380);
    expect(second).toMatchObject({ kind: 'failed', error: 'timeout', code: null, response: null });
    // Whether the request still went out in time, or the deadline was over before its connection was there.
    await closedByUs(outside.server);
  });

  it('that accepts and says nothing costs one deadline and no socket', async () => {
    const { server, post } = await receiver(() => {}, DEADLINE_MS);

    const outcome = await post();

    expect(outcome).toMatchObject({ kind: 'failed', error: 'timeout' });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(DEADLINE_MS - 10);
    expect(outcome.durationMs).toBeLessThan(DEADLINE_MS + HANGS_MS);
    await closedByUs(server);
  });

  it('that drips its headers is not given more time', async () => {
    const { server, post } = await receiver(
      floods('HTTP/1.1 200 OK\r\nx: ', Buffer.from('a'), 20),
      DEADLINE_MS,
    );

    expect(await post()).toMatchObject({ kind: 'failed', error: 'timeout' });
    await closedByUs(server);
  });

  it('is given less time by whoever has less', async () => {
    const { origin, sender } = await receiver(() => {});
    const asked = { url: `${origin}/`, method: 'GET', headers: {}, body: null } as const;

    const outcome = await sender.request({ ...asked, timeoutMs: DEADLINE_MS });

    expect(outcome).toMatchObject({ kind: 'failed', error: 'timeout' });
    expect(outcome.durationMs).toBeLessThan(HANGS_MS);
  });

  it('has not answered with early hints', async () => {
    const { post } = await receiver(says('HTTP/1.1 103 Early\r\n\r\n'), DEADLINE_MS);

    expect(await post()).toMatchObject({ kind: 'failed', error: 'timeout', code: null });
  });

  it('does not hold up another one', async () => {
    const hanging = await receiver(() => {});
    const healthy = await receiver(ok);

    let ended = 0;
    const slow = Array.from({ length: 50 }, () =>
      hanging.post().finally(() => {
        ended += 1;
      }),
    );
    const fast = await Promise.all(Array.from({ length: 50 }, () => healthy.post()));

    // All of the quick ones while every slow one still hangs.
    expect(ended).toBe(0);
    expect(fast.every((one) => one.kind === 'delivered')).toBe(true);
    await eventually(() => hanging.server.received.length === slow.length);
    for (const socket of hanging.server.open) socket.destroy();
    await Promise.all(slow);
  });
});

describe('a body that does not end', () => {
  it('does not change a success, and is closed within a second', async () => {
    const { server, post } = await receiver(
      floods(`${head('Transfer-Encoding: chunked\r\n')}1\r\na\r\n`, Buffer.from('1\r\na\r\n'), 20),
    );

    const outcome = await post();

    expect(outcome).toMatchObject({ kind: 'delivered', code: 200 });
    expect(textOf(outcome)).toMatch(/^a+$/);
    expect(outcome.durationMs).toBeLessThan(1_000 + HANGS_MS);
    await closedByUs(server);
  });

  it('does not change a failure either', async () => {
    const { post } = await receiver(
      floods('HTTP/1.1 500 No\r\n\r\n', Buffer.from('sorry '.repeat(20)), 10),
    );

    expect(await post()).toMatchObject({ kind: 'failed', error: 'status', code: 500 });
  });

  it('is read up to 64 KiB, however much is offered', async () => {
    const chunk = Buffer.alloc(65_536, 'x');
    const { server, post } = await receiver(floods(head('Content-Length: 314572800\r\n'), chunk));
    let written = 0;
    server.ended = (socket) => {
      written += socket.bytesWritten;
    };
    const rssBefore = process.memoryUsage.rss();

    const outcomes = await Promise.all(Array.from({ length: 20 }, () => post()));

    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ kind: 'delivered', code: 200, response: 'x'.repeat(500) });
    }
    await closedByUs(server);
    // What was on the way when we closed counts too: of 6 GB that were offered.
    expect(written).toBeLessThan(200 * 1_048_576);
    expect(process.memoryUsage.rss() - rssBefore).toBeLessThan(100 * 1_048_576);
  });

  it('is never inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1_048_576, 'a'));
    const { post } = await receiver(
      says(
        Buffer.concat([
          Buffer.from(head(`Content-Encoding: gzip\r\nContent-Length: ${bomb.length}\r\n`)),
          bomb,
        ]),
      ),
    );

    const outcome = await post();

    expect(outcome).toMatchObject({ kind: 'delivered', code: 200 });
    expect(textOf(outcome)).not.toContain('aaaa');
    expect(textOf(outcome)?.length).toBeLessThanOrEqual(500);
  });
});

describe('an answer that is no answer', () => {
  it.each<[string, Behaviour]>([
    ['a header of 20 KB', says(head(`x-big: ${'a'.repeat(20_480)}\r\n`))],
    ['3,000 headers', says(head(Array.from({ length: 3_000 }, (_, i) => `x${i}: y\r\n`).join('')))],
    ['two lengths', says(`${head('Content-Length: 2\r\nContent-Length: 3\r\n')}ok`)],
    ['status 101', says('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')],
    ['an unasked 100', says('HTTP/1.1 100 Continue\r\n\r\n')],
    ['HTTP/0.9', says('hello there')],
    ['bytes of another protocol', says(Buffer.from([0x15, 3, 1, 0, 2, 2, 70]))],
    [
      'a reset in the middle',
      (socket) => socket.write('HTTP/1.1 2', () => socket.resetAndDestroy()),
    ],
    ['an end before it began', (socket) => socket.end()],
  ])('is a failed attempt and nothing more: %s', async (_what, behave) => {
    const { post } = await receiver(behave);

    expect(await post()).toMatchObject({ kind: 'failed', error: 'connection', code: null });
  });

  it('is a failed attempt when nobody listens', async () => {
    const { server, post } = await receiver(ok);
    await server.close();

    expect(await post()).toMatchObject({ kind: 'failed', error: 'connection', code: null });
  });
});

describe('an odd answer that still counts', () => {
  it.each<[string, Behaviour, number]>([
    ['204 with a body', says('HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok'), 204],
    ['205 with a body', says('HTTP/1.1 205 Reset\r\nContent-Length: 2\r\n\r\nok'), 205],
    [
      'early hints before it',
      says(`HTTP/1.1 103 Early\r\n\r\n${head('Content-Length: 0\r\n')}`),
      200,
    ],
    ['a reset in its body', (s) => s.write(`${head()}abc`, () => s.resetAndDestroy()), 200],
    ['a shorter body than promised', (s) => s.end(`${head('Content-Length: 9\r\n')}abc`), 200],
  ])('is a success: %s', async (_what, behave, code) => {
    const { post } = await receiver(behave);

    expect(await post()).toMatchObject({ kind: 'delivered', code });
  });

  it('leaves the connection clean for the next request', async () => {
    const { post } = await receiver(says('HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok'));

    expect(await post()).toMatchObject({ kind: 'delivered', code: 204 });
    expect(await post()).toMatchObject({ kind: 'delivered', code: 204 });
  });
});
