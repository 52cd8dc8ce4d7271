import http from 'node:http';
import { buffer } from 'node:stream/consumers';
import { verifyWebhook, type WebhookEvent } from '../src/index.ts';

/** Our own server: it answers at once, keeps what is genuine, and each event once. */
export async function openMailbox(port: number) {
  const events = new Map<string, WebhookEvent>();
  let refused = 0;
  let secret = '';
  const receive = async (
    request: http.IncomingMessage,
    response: http.ServerResponse,
  ): Promise<void> => {
    try {
      const event = await verifyWebhook(request.headers, await buffer(request), secret);
      events.set(event.id, event);
      response.writeHead(204).end();
    } catch {
      refused += 1;
      response.writeHead(400).end();
    }
  };
  const server = http.createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    get events() {
      return [...events.values()];
    },
    refused: () => refused,
    trust: (given: string) => {
      secret = given;
    },
    /** Whether an event of the type tells of the contact, or the message. */
    has: ([type, id]: readonly (string | undefined)[]) =>
      [...events.values()].some(
        (event) => event.type === type && JSON.stringify(event.data).includes(`"${id}"`),
      ),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
