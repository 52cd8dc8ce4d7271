import { createServer } from 'node:net';
import { createSecureContext, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from '@jest/globals';
import { outcomeOfError } from '../../src/net/outcome.ts';
import { createSafeSender } from '../../src/net/sender.ts';
import { eventually } from '../support/waiting.ts';
import { certificateAuthority, selfSigned } from './support/certificates.ts';
import { ok, startTcp, startTls } from './support/servers.ts';

const HOST = 'hooks.shop.com';
const PATIENT_MS = 30_000;
/** Of a receiver that is reached, and then stalls: by then a busy machine has reached it, or it counts as never reached. */
const DEADLINE_MS = 3_000;
const authority = certificateAuthority();
let closing: (() => Promise<unknown>)[] = [];

function sendTo(port: number, deadlineMs = PATIENT_MS, host = HOST) {
  const sender = createSafeSender({
    trustedOrigins: [],
    deadlineMs,
    resolve: async () => ({ kind: 'found', addresses: ['127.0.0.1'] }),
    isPublic: (address) => address === '127.0.0.1',
    ca: authority.ca,
  });
  closing.push(() => sender.close());
  return sender.post({
    url: `https://${host}:${port}/hook`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
}

async function tlsServer(options: TlsOptions) {
  const server = await startTls(options, ok);
  closing.push(server.close);
  return server;
}

afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

describe('TLS to a receiver', () => {
  it('asks for the host by name and speaks HTTP/1.1, whatever else is offered', async () => {
    const server = await tlsServer({
      ...authority.issue(HOST),
      ALPNProtocols: ['h2', 'http/1.1'],
    });

    expect(await sendTo(server.port)).toMatchObject({ kind: 'delivered', code: 200 });
    expect(server.received[0]).toMatch(/^POST \/hook HTTP\/1\.1\r\n/);
  });

  it('asks for a name that ends in a dot as servers know it', async () => {
    const identity = createSecureContext(authority.issue(HOST));
    const server = await tlsServer({
      SNICallback: (name, answer) =>
        name === HOST ? answer(null, identity) : answer(new Error('nobody here has that name')),
    });

    expect(await sendTo(server.port, PATIENT_MS, `${HOST}.`)).toMatchObject({ kind: 'delivered' });
  });

  it.each<[string, () => TlsOptions]>([
    ['expired', () => authority.issue(HOST, new Date(Date.now() - 86_400_000))],
    ['issued for another name', () => authority.issue('other.shop.com')],
    ['issued by itself', () => selfSigned(HOST)],
    ['issued by nobody we know', () => certificateAuthority('Nobody').issue(HOST)],
  ])('sends nothing when the certificate is %s', async (_fault, identity) => {
    const server = await tlsServer(identity());

    expect(await sendTo(server.port)).toMatchObject({ kind: 'failed', error: 'tls', code: null });
    expect(server.received).toEqual([]);
  });

  it('sends nothing when only TLS 1.0 is spoken', async () => {
    const server = await tlsServer({
      ...authority.issue(HOST),
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    });

    expect(await sendTo(server.port)).toMatchObject({ kind: 'failed', error: 'tls', code: null });
    expect(server.received).toEqual([]);
  });

  it('never falls back to clear text', async () => {
    const requests: string[] = [];
    const server = await startTcp((socket, text) => {
      if (text.startsWith('POST')) requests.push(text);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    closing.push(server.close);

    expect(await sendTo(server.port)).toMatchObject({ kind: 'failed', error: 'tls', code: null });
    expect(requests).toEqual([]);
  });

  it('ends a handshake that stalls, and never sends afterwards', async () => {
    const sockets: { destroyed: boolean }[] = [];
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => {}).resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => new Promise((resolve) => server.close(resolve)));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;

    const outcome = await sendTo(port, DEADLINE_MS);

    expect(outcome).toMatchObject({ kind: 'failed', error: 'tls', code: null });
    expect(outcome.durationMs).toBeLessThan(DEADLINE_MS + 15_000);
    await eventually(() => sockets.every((socket) => socket.destroyed));
    expect(sockets).toHaveLength(1);
  });
});

describe('what OpenSSL says of a certificate', () => {
  it.each([
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    'SELF_SIGNED_CERT_IN_CHAIN',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'CERT_HAS_EXPIRED',
    'CERT_SIGNATURE_FAILURE',
    'CRL_NOT_YET_VALID',
    'PATH_LENGTH_EXCEEDED',
    'INVALID_CA',
    'INVALID_PURPOSE',
    'HOSTNAME_MISMATCH',
    'ERR_TLS_CERT_ALTNAME_INVALID',
    'ERR_SSL_WRONG_VERSION_NUMBER',
  ])('%s is the reason tls', (code) => {
    const error = Object.assign(new Error('refused'), { code });
    expect(outcomeOfError(error, 5)).toMatchObject({ kind: 'failed', error: 'tls' });
  });
});
