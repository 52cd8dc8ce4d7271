import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** One request that reached the customer's server. */
interface Receipt {
  /** Milliseconds since the epoch. */
  readonly t: number;
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
  readonly data: { readonly message?: { readonly id: string }; readonly contact_id: string | null };
}

/** A customer's server, outside of the system under test: what it wrote down is the truth. */
export interface Receiver {
  readonly origin: string;
  readonly receipts: readonly Receipt[];
  trust(secret: string): void;
  /** Answers from now on; with 500 a webhook is to be tried again. */
  answerWith(status: number): void;
  /** Answers so many requests from now on and leaves the others without an answer. */
  answerOnly(count: number): void;
  close(): Promise<void>;
}

export async function openReceiver(): Promise<Receiver> {
  const receipts: Receipt[] = [];
  let webhook: Webhook | null = null;
  let status = 204;
  let answersLeft = Number.POSITIVE_INFINITY;
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const event = JSON.parse(body) as ReceivedEvent;
      const verified = webhook !== null && verifies(webhook, body, req.headers);
      const webhookId = String(req.headers['webhook-id']);
      answersLeft -= 1;
      receipts.push({ t: Date.now(), webhookId, verified, status, body, event });
      if (answersLeft >= 0) res.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    receipts,
    trust: (secret) => {
      webhook = new Webhook(secret);
    },
    answerWith: (next) => {
      status = next;
    },
    answerOnly: (count) => {
      answersLeft = count;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function verifies(webhook: Webhook, body: string, headers: IncomingHttpHeaders): boolean {
  try {
    webhook.verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}
