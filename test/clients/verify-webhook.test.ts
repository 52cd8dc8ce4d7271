import { describe, expect, it } from '@jest/globals';
import { verifyWebhook, WebhookRefused } from '../../clients/typescript/src/index.ts';
import { decodeSecret, newSecret, signatureHeaders } from '../../src/webhooks/signing/signature.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const secret = newSecret();
const event = {
  id: 'evt_1',
  type: 'message.sent',
  version: 1,
  data: { message: { text: 'Olá 👋' } },
};
const body = JSON.stringify(event);

/** What the service itself sends. */
const delivery = (secrets = [secret], at = NOW, sent = body) =>
  signatureHeaders(
    { id: 'evt_1', timestamp: Math.floor(at / 1_000), body: sent },
    secrets.map(decodeSecret),
  );

const faultOf = (verified: Promise<unknown>): Promise<string> =>
  verified.then(
    () => 'none',
    (error: unknown) => (error instanceof WebhookRefused ? error.fault : String(error)),
  );

describe('verifyWebhook', () => {
  it('answers the event of what the service signs, as text or bytes, from either kind of headers', async () => {
    const headers = delivery();

    for (const given of [headers, new Headers(headers)])
      for (const raw of [body, Buffer.from(body)])
        expect(await verifyWebhook(given, raw, secret, { now: NOW })).toEqual(event);
  });

  it('accepts either secret during a rotation, on either side', async () => {
    const next = newSecret();

    expect(await faultOf(verifyWebhook(delivery([next, secret]), body, secret, { now: NOW }))).toBe(
      'none',
    );
    expect(await faultOf(verifyWebhook(delivery([next]), body, [secret, next], { now: NOW }))).toBe(
      'none',
    );
  });

  it('refuses a body that was changed, even by a space', async () => {
    expect(await faultOf(verifyWebhook(delivery(), `${body} `, secret, { now: NOW }))).toBe(
      'signature',
    );
  });

  it('refuses the signature of another secret, or of another scheme', async () => {
    const headers = delivery();
    const other = {
      ...headers,
      'webhook-signature': headers['webhook-signature'].replace('v1', 'v2'),
    };

    expect(await faultOf(verifyWebhook(delivery([newSecret()]), body, secret, { now: NOW }))).toBe(
      'signature',
    );
    expect(await faultOf(verifyWebhook(other, body, secret, { now: NOW }))).toBe('signature');
  });

  it('refuses a delivery that is replayed after five minutes, or comes from the future', async () => {
    for (const [seconds, fault] of [
      [299, 'none'],
      [301, 'timestamp'],
      [-299, 'none'],
      [-301, 'timestamp'],
    ] as const) {
      const verified = verifyWebhook(delivery(), body, secret, { now: NOW + seconds * 1_000 });
      expect([seconds, await faultOf(verified)]).toEqual([seconds, fault]);
    }
  });

  it('refuses an id or timestamp that the signature does not cover', async () => {
    const headers = delivery();
    for (const changed of [
      { 'webhook-id': 'evt_2' },
      { 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) },
    ])
      expect(
        await faultOf(verifyWebhook({ ...headers, ...changed }, body, secret, { now: NOW })),
      ).toBe('signature');
  });

  it('refuses a delivery without its headers, and a secret that is none', async () => {
    for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
      const { [name]: _, ...rest } = delivery();
      expect(await faultOf(verifyWebhook(rest, body, secret, { now: NOW }))).toBe('headers');
    }
    const faulty = { ...delivery(), 'webhook-timestamp': 'soon' };
    expect(await faultOf(verifyWebhook(faulty, body, secret, { now: NOW }))).toBe('timestamp');
    for (const none of ['', 'whsec_', 'whsec_c2hvcnQ=', secret.slice(6)])
      expect(await faultOf(verifyWebhook(delivery(), body, none, { now: NOW }))).toBe('secret');
  });
});
