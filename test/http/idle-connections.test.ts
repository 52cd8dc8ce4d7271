import type { AddressInfo, Socket } from 'node:net';
import { connect } from 'node:net';
import { afterEach, expect, it } from '@jest/globals';
import { createHttpServer } from '../../src/http/serving/server.ts';
import { eventually } from '../support/waiting.ts';

const MB = 1024 * 1024;
const server = createHttpServer((_, res) => {
  for (let n = 0; n < 16; n += 1) res.write(Buffer.alloc(MB));
  res.end();
}, 'http://api.test');
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

it('a caller who stops reading is cut off, and an idle connection outlives that of the proxy', async () => {
  expect([server.timeout, server.keepAliveTimeout]).toEqual([60_000, 75_000]);
  server.setTimeout(500);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const open = (): Promise<number> =>
    new Promise((resolve) => server.getConnections((_, count) => resolve(count)));
  const reader = connect(port, '127.0.0.1');
  sockets.push(reader);
  reader.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  reader.pause();

  await eventually(async () => (await open()) === 1);
  await eventually(async () => (await open()) === 0);
});
