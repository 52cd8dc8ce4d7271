import { afterEach, describe, expect, it } from '@jest/globals';
import { closedByUs, DEADLINE_MS, receivers, request } from './support/receiver.ts';
import { ok } from './support/servers.ts';

const { receiver, close } = receivers();
afterEach(close);

/** As by SIGSTOP, or a machine that is suspended. */
function standStill(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

describe('what is sent', () => {
  it('is the very bytes, once, and nothing more of an attempt that is over', async () => {
    const { server, post } = await receiver(ok);

    await post();

    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatch(/\r\n\r\n\{"id":1\}$/);
    expect(server.received[0]).not.toMatch(/accept-encoding|expect:/i);
  });

  it('shares kept connections between attempts', async () => {
    const { server, post } = await receiver(ok);

    for (let i = 0; i < 100; i += 1) await post();

    expect(server.received).toHaveLength(100);
    // A connection rests for one turn of the event loop, in which a second one takes over.
    expect(server.connections).toBeLessThanOrEqual(2);
  });

  it('is nothing once the deadline is over, when the process stood still before its connection was there', async () => {
    const { server, post } = await receiver(ok, DEADLINE_MS);

    const waiting = post();
    standStill(2 * DEADLINE_MS);

    expect(await waiting).toMatchObject({ kind: 'failed', error: 'timeout' });
    await closedByUs(server);
    expect(server.received).toEqual([]);
  });

  it('is never a rejection, even for a request that cannot be written', async () => {
    const { sender, origin } = await receiver(ok);

    const broken = await Promise.all([
      sender.post({ url: 'not a url', ...request }),
      sender.post({ url: `${origin}/`, headers: { 'x-a': 'b\r\nc: d' }, body: '' }),
    ]);

    expect(broken.map((one) => one.kind === 'failed' && one.error)).toEqual([
      'internal',
      'internal',
    ]);
  });

  it('is nothing after the sender was closed', async () => {
    const { sender, server, post } = await receiver(ok);
    await post();
    await sender.close();

    expect(await post()).toMatchObject({ kind: 'infrastructure' });
    expect(server.received).toHaveLength(1);
  });
});
