import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  decodeSecret,
  newSecret,
  signatureHeaders,
} from '../../../src/webhooks/signing/signature.ts';

const body = Buffer.from(JSON.stringify({ id: 'evt_1', type: 'message.sent', text: 'Olá 👋' }));
const now = () => Math.floor(Date.now() / 1_000);

function flipBit(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

describe('signing a delivery', () => {
  it('satisfies the public verifier with the secret that was shown', () => {
    const secret = newSecret();

    const headers = signatureHeaders({ id: 'evt_1', timestamp: now(), body }, [
      decodeSecret(secret),
    ]);

    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body.toString()));
  });

  it('carries two signatures while rotating, the new secret first', () => {
    const fresh = newSecret();
    const previous = newSecret();
    const message = { id: 'evt_1', timestamp: now(), body };

    const headers = signatureHeaders(message, [decodeSecret(fresh), decodeSecret(previous)]);

    const alone = signatureHeaders(message, [decodeSecret(fresh)]);
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2);
    expect(headers['webhook-signature'].split(' ')[0]).toBe(alone['webhook-signature']);
    expect(new Webhook(fresh).verify(body, headers)).toBeDefined();
    expect(new Webhook(previous).verify(body, headers)).toBeDefined();
    expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow('No matching signature');
  });

  it('signs text and its bytes alike', () => {
    const key = decodeSecret(newSecret());
    const timestamp = now();

    const fromBytes = signatureHeaders({ id: 'evt_1', timestamp, body }, [key]);

    expect(signatureHeaders({ id: 'evt_1', timestamp, body: body.toString() }, [key])).toEqual(
      fromBytes,
    );
  });

  it('is broken by one changed bit anywhere in the body', () => {
    const secret = newSecret();
    const headers = signatureHeaders({ id: 'evt_1', timestamp: now(), body }, [
      decodeSecret(secret),
    ]);

    for (const at of body.keys()) {
      expect(() => new Webhook(secret).verify(flipBit(body, at), headers)).toThrow(
        'No matching signature',
      );
    }
  });

  it('is broken by another id or another timestamp', () => {
    const secret = newSecret();
    const timestamp = now();
    const headers = signatureHeaders({ id: 'evt_1', timestamp, body }, [decodeSecret(secret)]);
    const verifier = new Webhook(secret);

    expect(() => verifier.verify(body, { ...headers, 'webhook-id': 'evt_2' })).toThrow();
    expect(() =>
      verifier.verify(body, { ...headers, 'webhook-timestamp': String(timestamp - 1) }),
    ).toThrow('No matching signature');
  });

  it('is refused by a receiver when it is 5 minutes and 1 second old', () => {
    const secret = newSecret();
    const signedAt = (timestamp: number) =>
      signatureHeaders({ id: 'evt_1', timestamp, body }, [decodeSecret(secret)]);

    expect(new Webhook(secret).verify(body, signedAt(now() - 295))).toBeDefined();
    expect(() => new Webhook(secret).verify(body, signedAt(now() - 301))).toThrow('too old');
  });
});

describe('a new secret', () => {
  it('is whsec_ and the base64 of 32 random bytes, never the same twice', () => {
    const secrets = Array.from({ length: 100 }, newSecret);

    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(decodeSecret(secret).symmetricKeySize).toBe(32);
    }
  });
});
