import { once } from 'node:events';
import { createServer, get, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** One request that reached the customer's server. */
export interface Receipt {
  /** Milliseconds since the epoch. */
  readonly t: number;
  /** Of the endpoint. */
  readonly path: string;
  readonly webhookId: string;
  /** By the public library, with the endpoint's secret. */
  readonly verified: boolean;
  readonly status: number;
  readonly body: string;
  readonly event: ReceivedEvent;
}

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly message?: { readonly id: string };
    readonly run?: { readonly id: string };
    readonly contact_id: string | null;
  };
}

/** A customer's server, outside of the system under test: what it wrote down is the truth. */
export interface Receiver {
  readonly origin: string;
  readonly receipts: readonly Receipt[];
  /** The secret of the endpoint at the path, `/hooks` unless told. */
  trust(secret: string, path?: string): void;
  /** One request of so many to the path is answered 500. */
  falter(path: string, oneOf: number): void;
  /** Answers from now on; with 500 a webhook is to be tried again. */
  answerWith(status: number): void;
  /** Answers so many requests from now on and leaves the others without an answer. */
  answerOnly(count: number): void;
  /** Everything that was written to its sockets until now is among the receipts. */
  caughtUp(): Promise<void>;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const receipts: Receipt[] = [];
  const webhooks = new Map<string, Webhook>();
  const faltering = new Map<string, number>();
  let status = 204;
  let answersLeft = Number.POSITIVE_INFINITY;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (req.method === 'GET') return void res.end();
      const body = Buffer.concat(chunks).toString();
      const event = JSON.parse(body) as ReceivedEvent;
      const path = req.url ?? '';
      const verified = verifies(webhooks.get(path), body, req.headers);
      const oneOf = faltering.get(path);
      const answer = oneOf && receipts.length % oneOf === 0 ? 500 : status;
      const webhookId = String(req.headers['webhook-id']);
      answersLeft -= 1;
      receipts.push({ t: Date.now(), path, webhookId, verified, status: answer, body, event });
      if (answersLeft >= 0) res.writeHead(answer).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    receipts,
    trust: (secret, path = '/hooks') => {
      webhooks.set(path, new Webhook(secret));
    },
    falter: (path, oneOf) => {
      faltering.set(path, oneOf);
    },
    answerWith: (next) => {
      status = next;
    },
    answerOnly: (count) => {
      answersLeft = count;
    },
    // Connections are accepted, and sockets read, in the order in which they were there.
    caughtUp: async () => {
      const [response] = await once(get(origin, { agent: false }), 'response');
      await once(response.resume(), 'end');
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function verifies(
  webhook: Webhook | undefined,
  body: string,
  headers: IncomingHttpHeaders,
): boolean {
  if (!webhook) return false;
  try {
    webhook.verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
