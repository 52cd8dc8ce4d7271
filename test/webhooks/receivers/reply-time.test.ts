import { describe, expect, it } from '@jest/globals';
import { createSafeSender } from '../../../src/net/sender.ts';
import { ok, startTcp } from '../../net/support/servers.ts';

/** What a receiver gets that answers so many seconds after we began to send, by the sender as the service makes it. */
async function answeredAfter(seconds: number): Promise<[string, number]> {
  let begun = 0;
  const receiver = await startTcp((socket) => {
    setTimeout(() => ok(socket, ''), begun + seconds * 1_000 - performance.now());
  });
  const origin = `http://127.0.0.1:${receiver.port}`;
  const sender = createSafeSender({ trustedOrigins: [origin] });
  begun = performance.now();
  const outcome = await sender.post({ url: `${origin}/`, headers: {}, body: '{}' });
  await sender.close();
  await receiver.close();
  return [outcome.kind === 'failed' ? outcome.error : outcome.kind, outcome.durationMs];
}

describe('a receiver of webhooks', () => {
  it('has 10 seconds to answer', async () => {
    // Not right before the end, which a busy machine would miss: who was given up says how long it had.
    const [inside, outside] = await Promise.all([answeredAfter(6), answeredAfter(13)]);

    expect(inside).toEqual(['delivered', expect.any(Number)]);
    expect(outside).toEqual(['timeout', expect.any(Number)]);
    expect(inside[1]).toBeGreaterThanOrEqual(5_500);
    expect(outside[1]).toBeGreaterThanOrEqual(9_990);
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
