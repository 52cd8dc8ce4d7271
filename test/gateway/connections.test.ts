import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createCloudApiGateway } from '../../src/gateway/cloud-api/gateway.ts';
import type { SendResult } from '../../src/gateway/port.ts';
import { selfSigned } from '../net/support/certificates.ts';
import { type Listener, ok, startTcp, startTls } from '../net/support/servers.ts';

let closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

/** Sends and uploads to this server, by one gateway. */
function gatewayTo(server: Listener, baseUrl: string) {
  const gateway = createCloudApiGateway({ baseUrl, version: 'v23.0', deadlineMs: 10_000 });
  closing.push(() => gateway.close(), server.close);
  const number = { id: '1', accessToken: 'token' };
  const file = { name: 'a.png', type: 'image/png', size: 0, bytes: async function* none() {} };
  const message = { phoneNumberId: '1', accessToken: 'token', to: '+5511982000001', text: 'Oi' };
  return {
    send: (correlation: string): Promise<SendResult> => gateway.send({ ...message, correlation }),
    upload: () => gateway.upload(number, file),
  };
}

const overTls = (server: Listener): Promise<SendResult> =>
  gatewayTo(server, `https://localhost:${server.port}`).send('msg_1');

describe('a message whose TLS handshake fails', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['closes the connection', (socket) => socket.destroy()],
    ['resets it', (socket) => socket.resetAndDestroy()],
    ['speaks no TLS', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('was surely not sent: the server %s', async (_, behave) => {
    expect(await overTls(await startTcp(behave))).toMatchObject({
      kind: 'throttled',
      scope: 'number',
    });
  });

  it('was surely not sent: nobody vouches for the certificate', async () => {
    const server = await startTls(selfSigned('localhost'), ok);

    expect(await overTls(server)).toMatchObject({ kind: 'throttled', scope: 'number' });
    expect(server.received).toEqual([]);
  });
});

describe('a message over a connection that carried others', () => {
  const accepted = JSON.stringify({ messages: [{ id: 'wamid.1' }] });
  const accept = (socket: Socket): void => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${accepted.length}\r\n\r\n${accepted}`);
  };
  const overTcp = (server: Listener) => gatewayTo(server, `http://127.0.0.1:${server.port}`);

  it('may have arrived when the connection is reset after it was written', async () => {
    const server = await startTcp((socket, request) =>
      request.includes('msg_2') ? socket.resetAndDestroy() : accept(socket),
    );
    const { send } = overTcp(server);

    expect(await send('msg_1')).toMatchObject({ kind: 'accepted' });
    // The connection is free again a moment after its answer.
    await sleep(100);
    expect(await send('msg_2')).toMatchObject({ kind: 'unknown' });
    expect(server.connections).toBe(1);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['closed', (socket) => socket.end()],
    ['reset', (socket) => socket.resetAndDestroy()],
  ])('is never taken for unsent when it arrived, while idle connections are %s', async (_, end) => {
    const server = await startTcp((socket, request) => {
      if (socket.bytesRead > request.length) socket.resetAndDestroy();
      else {
        accept(socket);
        setTimeout(end, Math.random() * 4, socket);
      }
    });
    const { send } = overTcp(server);
    const unsent: string[] = [];

    for (let n = 1; n <= 300; n += 1) {
      const { kind } = await send(`msg_${n}.`);
      if (kind === 'throttled') unsent.push(`msg_${n}.`);
      await sleep(Math.random() * 4);
    }

    const arrived = server.received.join('');
    expect(unsent.filter((key) => arrived.includes(key))).toEqual([]);
  });

  it('finds one free while nobody answers any number of uploads', async () => {
    const server = await startTcp((socket, request) => {
      if (request.includes('/messages ')) accept(socket);
    });
    const { send, upload } = overTcp(server);

    for (let n = 1; n <= 128; n += 1) void upload();

    expect(await send('msg_1')).toMatchObject({ kind: 'accepted' });
  });
});
