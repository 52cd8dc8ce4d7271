import { inSpan } from '../../tracing/spans.ts';
import type { Accounts, OutgoingMessage, SendResult, WhatsApp } from '../port.ts';
import { profile, quality, subscribe } from './accounts.ts';
import { sendBody } from './bodies.ts';
import { classify, classifyFailure } from './classify.ts';
import { type CloudApiOptions, createGraphClient, pathOf } from './client.ts';
import { download, upload } from './media.ts';
import { templates } from './templates.ts';

export interface CloudApiGateway extends WhatsApp, Accounts {
  close(): Promise<void>;
}

/** As many as the lane of outgoing messages uploads at once. */
const UPLOAD_CONNECTIONS = 32;

/** WhatsApp's Cloud API over HTTP (design decisions §27). Create one per process and share it. */
export function createCloudApiGateway(options: CloudApiOptions): CloudApiGateway {
  const client = createGraphClient(options);
  // A slow upload keeps its connection for up to two minutes, which no message waits for.
  const uploads = createGraphClient(options, UPLOAD_CONNECTIONS);
  const ask = async (message: OutgoingMessage): Promise<SendResult> => {
    try {
      const answer = await client.call({
        method: 'POST',
        path: pathOf({ id: message.phoneNumberId }, '/messages'),
        accessToken: message.accessToken,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sendBody(message)),
      });
      return classify(answer, Boolean(message.media));
    } catch (error) {
      return classifyFailure(error);
    }
  };
  const send = (message: OutgoingMessage): Promise<SendResult> => {
    const attributes = { 'wms.message': message.correlation };
    return inSpan('whatsapp send', { kind: 'CLIENT', attributes }, async (span) => {
      const result = await ask(message);
      span?.setAttribute('wms.outcome', result.kind);
      return result;
    });
  };
  return {
    send,
    upload: (...asked) => upload(uploads, ...asked),
    download: (...asked) => download(client, ...asked),
    templates: (...asked) => templates(client, ...asked),
    quality: (...asked) => quality(client, ...asked),
    profile: (number) => profile(client, number),
    subscribe: (business, appId) => subscribe(client, business, appId),
    close: async () => {
      await Promise.all([client.close(), uploads.close()]);
    },
  };
}
