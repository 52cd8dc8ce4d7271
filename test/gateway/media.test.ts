import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../src/gateway/cloud-api/gateway.ts';

let answer: { status: number; body: string };
let heard = '';
let graph: Server;
let gateway: CloudApiGateway;
beforeAll(async () => {
  graph = createServer((req, res) => {
    heard = '';
    req.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
    });
    req.on('end', () => res.writeHead(answer.status).end(answer.body));
  });
  await once(graph.listen(0, '127.0.0.1'), 'listening');
  const baseUrl = `http://127.0.0.1:${(graph.address() as AddressInfo).port}`;
  gateway = createCloudApiGateway({ baseUrl, version: 'v23.0' });
});
afterAll(async () => {
  await gateway.close();
  graph.close();
});

const error = (code: number, more = {}): string =>
  JSON.stringify({ error: { code, message: 'Not a promise', ...more } });

describe('a file of a person that WhatsApp does not give', () => {
  it.each([
    ['too many calls', 400, error(4), 'later'],
    ['too many calls of the account', 400, error(80007), 'later'],
    ['the token is revoked', 400, error(190), 'later'],
    ['the number may not', 403, error(10), 'later'],
    ['WhatsApp does not work', 500, error(2), 'later'],
    ['it has no such file', 400, error(100), 'gone'],
    ['it knows no such id', 400, error(100, { error_subcode: 33 }), 'gone'],
    ['it has it no more', 404, '', 'gone'],
  ])('because %s', async (_, status, body, kind) => {
    answer = { status, body };

    const result = await gateway.download({ id: '1', accessToken: 'E' }, '404', 1_000);

    expect(result).toMatchObject({ kind });
  });
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
});
