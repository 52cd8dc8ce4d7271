import { describe, expect, it } from '@jest/globals';
import { createSafeSender } from '../../src/net/sender.ts';
import { ok, startTcp } from '../net/support/servers.ts';

/** What a receiver gets that answers so many seconds after we began, by the sender as the service makes it. */
async function answeredAfter(seconds: number): Promise<string> {
  const begun = performance.now();
  const receiver = await startTcp((socket) => {
    setTimeout(() => ok(socket, ''), begun + seconds * 1_000 - performance.now());
  });
  const origin = `http://127.0.0.1:${receiver.port}`;
  const sender = createSafeSender({ trustedOrigins: [origin] });
  const outcome = await sender.post({ url: `${origin}/`, headers: {}, body: '{}' });
  await sender.close();
  await receiver.close();
  return outcome.kind === 'failed' ? outcome.error : outcome.kind;
}

describe('a receiver of webhooks', () => {
  it('has 10 seconds to answer', async () => {
    const outcomes = await Promise.all([answeredAfter(9.9), answeredAfter(13)]);

    expect(outcomes).toEqual(['delivered', 'timeout']);
  });
});

describe('an answer', () => {
  const answering = async (status: number): Promise<string> => {
    const receiver = await startTcp((socket) => {
      socket.write(`HTTP/1.1 ${status} Said\r\nContent-Length: 0\r\n\r\n`);
    });
    const origin = `http://127.0.0.1:${receiver.port}`;
    const sender = createSafeSender({ trustedOrigins: [origin] });
    const outcome = await sender.post({ url: `${origin}/`, headers: {}, body: '{}' });
    await sender.close();
    await receiver.close();
    return outcome.kind === 'failed' ? outcome.error : outcome.kind;
  };

  it.each([200, 201, 202, 203, 204, 206, 226, 250, 299])('of %i is a success', async (status) => {
    expect(await answering(status)).toBe('delivered');
  });

  it.each([300, 304, 400, 401, 404, 410, 429, 500, 503])('of %i is a failure', async (status) => {
    expect(['status', 'redirect']).toContain(await answering(status));
  });
});
