import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { CommandError } from '../output.ts';

interface Received {
  readonly id: string;
  readonly contactId: string;
  readonly verified: boolean;
}

/** A small customer's server: verifies each signature and remembers each event once. */
export interface Receiver {
  readonly received: ReadonlyMap<string, Received>;
  trust(secret: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 1_048_576;

/** Starts a receiver on this machine. Counts an event once, however often it is delivered. */
export function createReceiver(port: number): Receiver {
  const received = new Map<string, Received>();
  let verifier: Webhook | null = null;
  let server: Server | null = null;

  /** Whether it is a webhook: a browser may call here, too. */
  const accept = (body: string, headers: Record<string, string>): boolean => {
    const id = headers['webhook-id'] ?? '';
    const contactId = contactIn(body);
    if (contactId === undefined) return false;
    received.set(id, { id, contactId, verified: verifies(verifier, body, headers) });
    return true;
  };

  return {
    received,
    trust: (secret) => {
      verifier = new Webhook(secret);
    },
    start: async () => {
      server = createServer((request, response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        request.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= MAX_BODY_BYTES) chunks.push(chunk);
        });
        request.on('end', () => {
          const body = Buffer.concat(chunks).toString('utf8');
          const isWebhook = accept(body, request.headers as Record<string, string>);
          response.writeHead(isWebhook ? 204 : 400).end();
        });
      });
      server.listen(port, '127.0.0.1');
      await once(server, 'listening').catch(sayIfTaken(port));
    },
    stop: async () => {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve) ?? resolve(null));
      server = null;
    },
  };
}

const sayIfTaken = (port: number) => (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EADDRINUSE') throw error;
  throw new CommandError(
    `Port ${port} is taken, and the demo receives webhooks there. End what listens at it, or choose another one: ` +
      `start the service with WEBHOOK_TRUSTED_ORIGINS=http://127.0.0.1:${port + 1}, then wms demo --port ${port + 1}`,
  );
};

function contactIn(body: string): string | undefined {
  try {
    const event = JSON.parse(body) as { readonly data?: { readonly contact_id?: string } } | null;
    return event?.data?.contact_id;
  } catch {
    return undefined;
  }
}

function verifies(
  verifier: Webhook | null,
  body: string,
  headers: Record<string, string>,
): boolean {
  if (!verifier) return false;
  try {
    verifier.verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
