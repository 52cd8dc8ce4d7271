import { describe, expect, it } from '@jest/globals';
import { createSafeSender } from '../../src/net/sender.ts';
import { ok, startTcp } from '../net/support/servers.ts';

/** What a receiver gets that answers after so many seconds, by the sender as the service makes it. */
async function answeredAfter(seconds: number): Promise<string> {
  const receiver = await startTcp((socket) => setTimeout(() => ok(socket, ''), seconds * 1_000));
  const origin = `http://127.0.0.1:${receiver.port}`;
  const sender = createSafeSender({ trustedOrigins: [origin] });
  const outcome = await sender.post({ url: `${origin}/`, headers: {}, body: '{}' });
  await sender.close();
  await receiver.close();
  return outcome.kind === 'failed' ? outcome.error : outcome.kind;
}

describe('a receiver of webhooks', () => {
  it('has 10 seconds to answer', async () => {
    const outcomes = await Promise.all([answeredAfter(9.3), answeredAfter(10.7)]);

    expect(outcomes).toEqual(['delivered', 'timeout']);
  });
});
