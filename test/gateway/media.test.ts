import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { request } from 'undici';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../src/gateway/cloud-api/gateway.ts';
import { startSimulator } from '../../src/simulator/simulator.ts';

let answer: { status: number; body: string };
/** What the host of the files answers. */
let ofFile = 200;
let heard = '';
let caller: string | undefined;
let graph: Server;
let gateway: CloudApiGateway;
beforeAll(async () => {
  graph = createServer((req, res) => {
    heard = '';
    caller = req.headers['user-agent'];
    req.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    req.on('end', () => {
      if (req.url === '/file') res.writeHead(ofFile).end();
      else res.writeHead(answer.status).end(answer.body);
    });
  });
  await once(graph.listen(0, '127.0.0.1'), 'listening');
  gateway = createCloudApiGateway({ baseUrl: at(graph), version: 'v23.0' });
});
afterAll(async () => {
  await gateway.close();
  graph.close();
});

const at = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const error = (code: number, more = {}): string =>
  JSON.stringify({ error: { code, message: 'Not a promise', ...more } });

describe('a file of a person that WhatsApp does not give', () => {
  it.each([
    ['too many calls', 400, error(4), 'later'],
    ['too many calls of the account', 400, error(80007), 'later'],
    ['the token is revoked', 400, error(190), 'later'],
    ['the number may not', 403, error(10), 'later'],
    ['WhatsApp does not work', 500, error(2), 'later'],
    ['it took too long', 408, error(100), 'later'],
    ['it has no such file', 400, error(100), 'gone'],
    ['it knows no such id', 400, error(100, { error_subcode: 33 }), 'gone'],
    ['it has it no more', 404, '', 'gone'],
  ])('because %s', async (_, status, body, kind) => {
    answer = { status, body };

    const result = await gateway.download({ id: '1', accessToken: 'E' }, '404', 1_000);

    expect(result).toMatchObject({ kind });
  });

  it.each([
    ['for reasons of its own', 400, 'later'],
    ['because the token is no good', 401, 'later'],
    ['because it has it no more', 404, 'gone'],
    ['because it was taken away', 410, 'gone'],
  ])('from where it lies %s', async (_, status, kind) => {
    answer = { status: 200, body: JSON.stringify({ url: `${at(graph)}/file` }) };
    ofFile = status;

    const result = await gateway.download({ id: '1', accessToken: 'E' }, '404', 1_000);

    expect(result).toMatchObject({ kind });
  });

  it.each([
    'http://lookaside.fbsbx.com/file',
    'https://lookaside-fbsbx.com/file',
    'https://fbsbx.com.example/file',
  ])('as it would lie at %s, where the token must not go', async (url) => {
    answer = { status: 200, body: JSON.stringify({ url }) };

    const result = await gateway.download({ id: '1', accessToken: 'E' }, '404', 1_000);

    expect(result).toMatchObject({ kind: 'gone' });
  });
});

it('gives a file to callers that say who they are alone, as we do: others are refused', async () => {
  const callbackUrl = 'http://127.0.0.1:9/webhooks/whatsapp';
  const simulator = await startSimulator({ port: 0, callbackUrl, appSecret: 'E' });
  const number = { id: '1', accessToken: 'E' };
  const version = 'v23.0';
  const whatsapp = createCloudApiGateway({ baseUrl: simulator.url, version });
  async function* bytes() {
    yield Buffer.from('ok');
  }
  const file = { name: 'a.png', type: 'image/png', size: 2, bytes };
  const kept = await whatsapp.upload(number, file);
  const id = kept.kind === 'kept' ? kept.providerId : '';

  const found = await whatsapp.download(number, id, 1_000);
  const { statusCode } = await request(`${simulator.url}/simulator/media/${id}`, {
    headers: { authorization: 'Bearer E' },
  });
  const received = found.kind === 'found' ? await text(found.bytes) : found.message;
  await whatsapp.close();
  await simulator.stop();

  expect(received).toBe('ok');
  expect(statusCode).toBe(400);
});

it('passes a file on under the name and type that its sender gave it, which add no lines to the form', async () => {
  answer = { status: 200, body: '{"id":"1"}' };
  const lines = '\r\nContent-Disposition: form-data; name="messaging_product"';
  const file = { name: `a"${lines}`, type: `image/png${lines}`, size: 2 };
  async function* bytes() {
    yield Buffer.from('ok');
  }

  await gateway.upload({ id: '1', accessToken: 'E' }, { ...file, bytes });

  expect(heard.match(/^Content-Disposition: .*$/gm)).toHaveLength(3);
  expect(heard).toContain('ok');
  expect(caller).toBe('workspace-messaging/1');
});
