import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './waiting.ts';

/** One request as a customer's server saw it. */
export interface Received {
  readonly path: string;
  readonly at: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface Receiver {
  readonly origin: string;
  readonly received: Received[];
  /** How the next requests are answered; `status` 0 breaks the connection. */
  answer: (request: Received) => Answer | Promise<Answer>;
  /** Resolves when so many requests have come, or throws. */
  waitFor(count: number, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** A customer's server on loopback. */
export async function startReceiver(port = 0): Promise<Receiver> {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen: Received = {
        path: request.url ?? '',
        at: Date.now(),
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(seen);
      void Promise.resolve(receiver.answer(seen)).then(({ status, headers = {}, body = '' }) => {
        if (status === 0) request.socket.destroy();
        else response.writeHead(status, headers).end(body);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const receiver: Receiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: () => ({ status: 200 }),
    waitFor: (count, timeoutMs = 60_000) =>
      eventually(() => received.length >= count, {
        timeoutMs,
        instead: () => `${received.length} of ${count}`,
      }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}
