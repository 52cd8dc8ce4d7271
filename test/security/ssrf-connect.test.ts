import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { isPublicAddress } from '../../src/net/addresses.ts';
import type { Resolution, Resolver } from '../../src/net/resolver.ts';
import { createSafeSender, type SafeSender } from '../../src/net/sender.ts';
import { specialAddresses } from '../net/support/addresses.ts';
import { certificateAuthority } from '../net/support/certificates.ts';
import { type Listener, ok, startTcp, startTls } from '../net/support/servers.ts';

const request = { headers: { 'content-type': 'application/json' }, body: '{}' };
const found = (...addresses: string[]): Resolution => ({ kind: 'found', addresses });
const loopbackIsPublic = (address: string) => address === '127.0.0.1' || isPublicAddress(address);
const authority = certificateAuthority();

let canary: Listener;
let senders: SafeSender[] = [];

function sender(resolve: Resolver, more: Partial<Parameters<typeof createSafeSender>[0]> = {}) {
  const made = createSafeSender({ trustedOrigins: [], deadlineMs: 30_000, resolve, ...more });
  senders.push(made);
  return made;
}

beforeAll(async () => {
  const identity = authority.issue('hooks.shop.com');
  canary = await startTls(identity, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
  });
});

beforeEach(() => {
  canary.connections = 0;
  canary.received.length = 0;
});

afterEach(async () => {
  await Promise.all(senders.map((one) => one.close()));
  senders = [];
});

afterAll(() => canary.close());

describe('a name that resolves to a special address', () => {
  it.each(specialAddresses)('is blocked before any connection: %s', async (address) => {
    const outcome = await sender(async () => found(address)).post({
      url: `https://hooks.shop.com:${canary.port}/`,
      ...request,
    });

    expect(outcome).toMatchObject({ kind: 'blocked', error: 'private_address', code: null });
    expect(canary.connections).toBe(0);
  });

  it('would otherwise have been reached', async () => {
    const outcome = await sender(async () => found('127.0.0.1'), {
      isPublic: loopbackIsPublic,
      ca: authority.ca,
    }).post({ url: `https://hooks.shop.com:${canary.port}/`, ...request });

    expect(outcome).toMatchObject({ kind: 'delivered', code: 200, response: 'ok' });
    expect(canary.connections).toBe(1);
  });
});

describe('a name with several addresses', () => {
  it.each([
    ['a public and a private IPv4', ['8.8.8.8', '127.0.0.1']],
    ['a public IPv4 and a private IPv6', ['8.8.8.8', '::1']],
    ['a private one behind sixteen others', [...Array(16).fill('8.8.8.8'), '127.0.0.1']],
    ['a private one behind ninety-nine others', [...Array(99).fill('8.8.8.8'), '10.0.0.1']],
  ])('is blocked as a whole: %s', async (_what, addresses) => {
    const outcome = await sender(async () => found(...addresses)).post({
      url: `https://hooks.shop.com:${canary.port}/`,
      ...request,
    });

    expect(outcome).toMatchObject({ kind: 'blocked', error: 'private_address' });
    expect(canary.connections).toBe(0);
  });
});

describe('a name that changes its answer', () => {
  /** The first answers are taken from the list, the last one repeats. */
  function flipping(...answers: Resolution[]) {
    const asked: string[] = [];
    const resolve: Resolver = async (name) => {
      asked.push(name);
      return answers[Math.min(asked.length, answers.length) - 1] ?? { kind: 'none' };
    };
    return { asked, resolve };
  }

  it('is resolved once for a connection, which goes to the address that was vetted', async () => {
    const { asked, resolve } = flipping(found('127.0.0.1'), found('169.254.169.254'));
    const url = `https://hooks.shop.com:${canary.port}/`;

    const outcome = await sender(resolve, {
      isPublic: loopbackIsPublic,
      ca: authority.ca,
    }).post({ url, ...request });

    expect(outcome.kind).toBe('delivered');
    expect(asked).toEqual(['hooks.shop.com']);
    expect(canary.received[0]).toContain(`host: hooks.shop.com:${canary.port}`);
  });

  it('never leads a vetted connection to the second answer', async () => {
    const { asked, resolve } = flipping(found('8.8.8.8'), found('127.0.0.1'));
    const url = `https://hooks.shop.com:${canary.port}/`;

    const outcome = await sender(resolve, { deadlineMs: 300 }).post({ url, ...request });

    expect(outcome.kind).toBe('failed');
    expect(asked).toHaveLength(1);
    expect(canary.connections).toBe(0);
  });

  it('may finish on a kept connection; the next connection is blocked', async () => {
    const { asked, resolve } = flipping(found('127.0.0.1'), found('10.0.0.1'));
    const url = `https://hooks.shop.com:${canary.port}/`;
    const kept = sender(resolve, {
      isPublic: loopbackIsPublic,
      ca: authority.ca,
      reuseMs: 6_000,
    });

    const first = await kept.post({ url, ...request });
    await new Promise((done) => setTimeout(done, 20));
    const second = await kept.post({ url, ...request });
    await new Promise((done) => setTimeout(done, 6_200));
    const third = await kept.post({ url, ...request });

    expect([first.kind, second.kind, third.kind]).toEqual(['delivered', 'delivered', 'blocked']);
    expect(asked).toHaveLength(2);
    expect(canary.connections).toBe(1);
  });
});

describe('a name that gives no address', () => {
  it.each<[string, Resolution]>([
    ['it does not exist', { kind: 'none' }],
    ['its answer is empty', found()],
  ])('is blocked when %s', async (_when, answer) => {
    const outcome = await sender(async () => answer).post({
      url: 'https://hooks.shop.com/',
      ...request,
    });

    expect(outcome).toMatchObject({ kind: 'blocked', error: 'dns', code: null, response: null });
  });

  it('is blocked when its servers fail and ours works', async () => {
    const outcome = await sender(
      async (name) =>
        name === 'control.net' ? found('8.8.8.8') : { kind: 'unavailable', reason: 'ESERVFAIL' },
      { controlNames: ['control.net'] },
    ).post({ url: 'https://hooks.shop.com/', ...request });

    expect(outcome).toMatchObject({ kind: 'blocked', error: 'dns' });
  });

  it('is nobody’s failure when our own resolver is down', async () => {
    const outcome = await sender(async () => ({ kind: 'unavailable', reason: 'ETIMEOUT' })).post({
      url: 'https://hooks.shop.com/',
      ...request,
    });

    expect(outcome).toMatchObject({ kind: 'infrastructure' });
  });
});

describe('an address in the URL itself', () => {
  it.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1'])(
    'is judged although no lookup happens: %s',
    async (host) => {
      const outcome = await sender(async () => found('8.8.8.8')).post({
        url: `https://${host}:${canary.port}/`,
        ...request,
      });

      expect(outcome).toMatchObject({ kind: 'blocked', error: 'private_address' });
      expect(canary.connections).toBe(0);
    },
  );
});

describe('a trusted origin', () => {
  it('is reached at any address and without TLS, and no other port or scheme with it', async () => {
    const trusted = await startTcp(ok);
    const other = await startTcp(ok);
    const post = sender(async () => found('8.8.8.8'), {
      trustedOrigins: [`http://127.0.0.1:${trusted.port}`],
    }).post;

    const reached = await post({ url: `http://127.0.0.1:${trusted.port}/a?b=1`, ...request });
    const otherPort = await post({ url: `http://127.0.0.1:${other.port}/`, ...request });
    const otherName = await post({ url: `http://localhost:${trusted.port}/`, ...request });

    expect(reached.kind).toBe('delivered');
    expect(trusted.received[0]).toMatch(/^POST \/a\?b=1 HTTP\/1\.1\r\n/);
    expect(otherPort).toMatchObject({ kind: 'blocked', error: 'private_address' });
    expect(otherName).toMatchObject({ kind: 'blocked', error: 'private_address' });
    expect([trusted.connections, other.connections]).toEqual([1, 0]);
    await Promise.all([trusted.close(), other.close()]);
  });
});
