import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { readBody } from '../../src/http/body/body.ts';
import { createHttpServer, stopHttpServer } from '../../src/http/serving/server.ts';

/** Longer than a body may take to arrive. */
const DATABASE_MS = 11_000;

it('a sender is not called late for a body that the service itself has not read yet', async () => {
  const echo = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    await sleep(DATABASE_MS);
    res.end(await readBody(req, 100));
  };
  const server = createHttpServer((req, res) => void echo(req, res), 'http://localhost');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const reply = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"a":1}' });

    expect([reply.status, await reply.text()]).toEqual([200, '{"a":1}']);
  } finally {
    await stopHttpServer(server, 1_000);
  }
});
