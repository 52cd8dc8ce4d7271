import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  type CloudApiGateway,
  createCloudApiGateway,
} from '../../src/gateway/cloud-api/gateway.ts';

let server: Server;
let gateway: CloudApiGateway;
let asked: IncomingMessage[];
afterEach(async () => {
  await gateway.close();
  server.close();
});

/** A WhatsApp that gives this answer to everything. */
async function serve(status: number, body: unknown): Promise<void> {
  asked = [];
  server = createServer((req, res) => {
    asked.push(req);
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  gateway = createCloudApiGateway({ baseUrl, version: 'v23.0' });
}

const error = (code: number, message: string, more = {}) => ({ error: { code, message, ...more } });
const profile = () => gateway.profile({ id: '106540352242922', accessToken: 'EAAG' });
const subscribe = (appId: string | null = '634974688087057') =>
  gateway.subscribe({ id: '102290129340398', accessToken: 'EAAG' }, appId);

describe('how WhatsApp rates a number', () => {
  const quality = () => gateway.quality({ id: '106540352242922', accessToken: 'EAAG' });

  it.each([
    ['RED', 'red'],
    ['GREEN', 'green'],
    ['NA', 'unknown'],
  ])('is asked of it: %s', async (quality_rating, rated) => {
    await serve(200, { quality_rating, id: '106540352242922' });

    expect(await quality()).toBe(rated);
    expect(asked.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      ['GET', '/v23.0/106540352242922?fields=quality_rating', 'Bearer EAAG'],
    ]);
  });

  it('is not known where it refuses to say', async () => {
    await serve(401, error(190, 'Invalid OAuth access token'));

    await expect(quality()).rejects.toMatchObject({ code: 'unavailable' });
  });
});

describe('what WhatsApp knows of a number', () => {
  it('is its phone, and the business account that its messages pass', async () => {
    await serve(200, {
      display_phone_number: '+55 11 8765-4321',
      health_status: {
        can_send_message: 'LIMITED',
        entities: [
          { entity_type: 'PHONE_NUMBER', id: '106540352242922', can_send_message: 'LIMITED' },
          { entity_type: 'WABA', id: '102290129340398', can_send_message: 'AVAILABLE' },
          { entity_type: 'APP', id: '634974688087057', can_send_message: 'AVAILABLE' },
        ],
      },
      id: '106540352242922',
    });

    expect(await profile()).toEqual({
      kind: 'known',
      phone: '+551187654321',
      businessAccountId: '102290129340398',
      appId: '634974688087057',
    });
    expect(asked.map(({ method, url, headers }) => [method, url, headers.authorization])).toEqual([
      ['GET', '/v23.0/106540352242922?fields=display_phone_number,health_status', 'Bearer EAAG'],
    ]);
  });

  it('is its phone alone where the health cannot be read', async () => {
    await serve(200, { display_phone_number: '15550783881', health_status: { entities: 'none' } });

    expect(await profile()).toEqual({
      kind: 'known',
      phone: '+15550783881',
      businessAccountId: null,
      appId: null,
    });
  });

  it.each([
    [401, error(190, 'Error validating access token.'), 'token'],
    [403, error(10, 'Application does not have permission'), 'token'],
    [403, error(200, '(#200) Permissions error'), 'token'],
    [400, error(100, "Object with ID '1' does not exist", { error_subcode: 33 }), 'id'],
    [400, error(100, '(#100) Tried accessing nonexisting field (display_phone_number)'), 'id'],
    [403, error(131031, '(#131031) Business Account locked'), 'id'],
  ])('is refused by %s %j for the %s', async (status, body, wrong) => {
    await serve(status, body);

    const message = body.error.message.replace(/\.$/, '');
    expect(await profile()).toEqual({ kind: 'refused', wrong, message });
  });

  it('is refused without the token that WhatsApp repeats', async () => {
    await serve(400, error(190, 'Malformed access token EAAG'));

    expect(await profile()).toMatchObject({ message: 'Malformed access token …' });
  });

  it.each([
    [503, error(2, 'Service temporarily unavailable'), 'cannot answer now (code 2)'],
    [400, error(80007, 'Rate limit issues'), 'cannot answer now (code 80007)'],
    [502, '<html>Bad gateway</html>', 'answers 502 and no more'],
    [200, { id: '106540352242922' }, 'answers 200 and no more'],
  ])('is not known after %s %j', async (status, body, said) => {
    await serve(status, body);

    const message = `WhatsApp ${said}. Try again later.`;
    await expect(profile()).rejects.toMatchObject({ code: 'unavailable', message });
  });
});

describe('subscribing to the webhooks of a business account', () => {
  const calls = () => asked.map(({ method, url, headers }) => [method, url, headers.authorization]);
  const path = '/v23.0/102290129340398/subscribed_apps';
  const app = (id: string) => ({ whatsapp_business_api_data: { id, name: 'Some app' } });

  it('names the account, and the app by its token', async () => {
    await serve(200, { data: [app('1')], success: true });

    expect(await subscribe()).toEqual({ kind: 'subscribed' });
    expect(calls()).toEqual([
      ['GET', path, 'Bearer EAAG'],
      ['POST', path, 'Bearer EAAG'],
    ]);
  });

  it('is not done again, which would take its own callback address from the account', async () => {
    await serve(200, { data: [app('1'), { odd: true }, app('634974688087057')], success: true });

    expect(await subscribe()).toEqual({ kind: 'subscribed' });
    expect(calls()).toEqual([['GET', path, 'Bearer EAAG']]);
  });

  it('is done for a token whose app is not known only where no app gets them', async () => {
    await serve(200, { data: [app('1')], success: true });
    expect(await subscribe(null)).toEqual({ kind: 'subscribed' });
    expect(calls()).toEqual([['GET', path, 'Bearer EAAG']]);
    await gateway.close();
    server.close();

    await serve(200, { data: [{ odd: true }], success: true });
    expect(await subscribe(null)).toEqual({ kind: 'subscribed' });
    expect(calls().map(([method]) => method)).toEqual(['GET', 'POST']);
  });

  it('is refused, or not known, as anything else', async () => {
    await serve(403, error(200, '(#200) You do not have the necessary permissions'));
    const message = '(#200) You do not have the necessary permissions';
    expect(await subscribe()).toEqual({ kind: 'refused', wrong: 'token', message });
    await gateway.close();
    server.close();

    await serve(200, { data: [], success: false });
    await expect(subscribe()).rejects.toMatchObject({ code: 'unavailable' });
  });
});
