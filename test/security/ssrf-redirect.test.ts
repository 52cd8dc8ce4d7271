import { describe, expect, it } from '@jest/globals';
import { createSafeSender } from '../../src/net/sender.ts';
import { ok, startTcp } from '../net/support/servers.ts';

async function post(trustedOrigins: readonly string[], url: string) {
  const sender = createSafeSender({ trustedOrigins, deadlineMs: 30_000 });
  const outcome = await sender.post({ url, headers: {}, body: '{}' });
  await sender.close();
  return outcome;
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('is a failure and is not followed: %i', async (status) => {
    const second = await startTcp(ok);
    const first = await startTcp((socket) => {
      socket.write(
        `HTTP/1.1 ${status} Moved\r\nLocation: http://127.0.0.1:${second.port}/\r\nContent-Length: 0\r\n\r\n`,
      );
    });
    const origins = [first, second].map(({ port }) => `http://127.0.0.1:${port}`);

    const outcome = await post(origins, `${origins[0]}/`);

    expect(outcome).toMatchObject({ kind: 'failed', error: 'redirect', code: status });
    expect(first.received).toHaveLength(1);
    expect(second.connections).toBe(0);
    await Promise.all([first.close(), second.close()]);
  });

  it('to itself for ever is one request', async () => {
    const looping = await startTcp((socket) => {
      socket.write('HTTP/1.1 308 Again\r\nLocation: /\r\nContent-Length: 0\r\n\r\n');
    });
    const origin = `http://127.0.0.1:${looping.port}`;

    const outcome = await post([origin], `${origin}/`);

    expect(outcome).toMatchObject({ kind: 'failed', error: 'redirect', code: 308 });
    expect(looping.received).toHaveLength(1);
    await looping.close();
  });

  it('by a Refresh header is no redirect at all', async () => {
    const refreshing = await startTcp((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\nRefresh: 0; url=http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n',
      );
    });
    const origin = `http://127.0.0.1:${refreshing.port}`;

    const outcome = await post([origin], `${origin}/`);

    expect(outcome).toMatchObject({ kind: 'delivered', code: 200 });
    expect(refreshing.received).toHaveLength(1);
    await refreshing.close();
  });
});
