import { Pool } from 'undici';
import type { Gateway, OutgoingMessage, SendResult } from '../port.ts';
import { classify, classifyFailure } from './classify.ts';
import type { SendBody } from './wire.ts';

export interface CloudApiOptions {
  /** `https://graph.facebook.com`, or the simulator's address. */
  readonly baseUrl: string;
  /** `v23.0` */
  readonly version: string;
  /** Milliseconds for one send, from the connection to the last byte of the answer. */
  readonly deadlineMs?: number;
}

export interface CloudApiGateway extends Gateway {
  close(): Promise<void>;
}

/** Two full windows of a campaign's sends; one pool serves the whole process. */
const CONNECTIONS = 128;

/** WhatsApp's Cloud API over HTTP (design decisions §27). Make one for each process and share it. */
export function createCloudApiGateway(options: CloudApiOptions): CloudApiGateway {
  const { baseUrl, version, deadlineMs = 10_000 } = options;
  const base = new URL(baseUrl);
  const root = `${base.pathname.replace(/\/$/, '')}/${version}`;
  const pool = new Pool(base.origin, {
    connections: CONNECTIONS,
    allowH2: false,
    headersTimeout: deadlineMs,
    bodyTimeout: deadlineMs,
    connect: { timeout: Math.min(deadlineMs, 5_000) },
  });

  const send = async (message: OutgoingMessage): Promise<SendResult> => {
    try {
      const { statusCode, headers, body } = await pool.request({
        method: 'POST',
        path: `${root}/${encodeURIComponent(message.phoneNumberId)}/messages`,
        headers: {
          authorization: `Bearer ${message.accessToken}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify(textBody(message)),
        signal: AbortSignal.timeout(deadlineMs),
      });
      const retryAfter = headers['retry-after'];
      return classify({
        status: statusCode,
        body: await body.text(),
        retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
      });
    } catch (error) {
      return classifyFailure(error);
    }
  };
  return { send, close: () => pool.destroy() };
}

const textBody = (message: OutgoingMessage): SendBody => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to: message.to.replace('+', ''),
  type: 'text',
  text: { body: message.text },
  biz_opaque_callback_data: message.correlation,
});
