import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  inboundMessage,
  messageStatus,
  messagesValue,
  webhookEnvelope,
} from '../../../src/gateway/cloud-api/wire.ts';

interface Received {
  signature: string;
  raw: Buffer;
}

/** The service's end of the webhooks: keeps each post as it came. */
export async function openReceiver() {
  const received: Received[] = [];
  const state = { status: 200 };
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const signature = String(req.headers['x-hub-signature-256']);
      received.push({ signature, raw: Buffer.concat(chunks) });
      res.writeHead(state.status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  const values = () =>
    received
      .flatMap(({ raw }) => webhookEnvelope.parse(JSON.parse(raw.toString('utf8'))).entry)
      .flatMap(({ changes }) => changes.map(({ value }) => messagesValue.parse(value)));
  return {
    url: `http://127.0.0.1:${port}/webhooks/whatsapp?from=simulator`,
    received,
    values,
    answerWith: (status: number) => {
      state.status = status;
    },
    statuses: () =>
      values().flatMap(({ statuses = [] }) => statuses.map((one) => messageStatus.parse(one))),
    messages: () =>
      values().flatMap(({ messages = [] }) => messages.map((one) => inboundMessage.parse(one))),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export function signatureOf(raw: Buffer, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(raw).digest('hex')}`;
}
