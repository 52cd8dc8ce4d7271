import { readdirSync } from 'node:fs';
import type { TlsOptions } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sqlOver } from '../../../src/db/database.ts';
import { createSafeSender, type SafeSender } from '../../../src/net/sender.ts';
import { certificateAuthority, selfSigned } from '../../net/support/certificates.ts';
import { floods, head, says } from '../../net/support/receiver.ts';
import {
  type Behaviour,
  type Listener,
  ok,
  startTcp,
  startTls,
} from '../../net/support/servers.ts';
import { type OwnDatabase, openOwnDatabase } from '../../support/database.ts';
import { anEndpoint, sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type RunningRelay, runRelay } from '../../support/relay.ts';
import { eventually } from '../../support/waiting.ts';

const authority = certificateAuthority();
const HOST = 'hooks.shop.com';
const LARGE = 300 * 1_048_576;

let database: OwnDatabase;
let sender: SafeSender;
let running: RunningRelay;
const servers: Listener[] = [];

const bomb = (() => {
  const body = gzipSync(Buffer.alloc(200 * 1_048_576, 'a'));
  const lines = `Content-Encoding: gzip\r\nContent-Length: ${body.length}\r\n`;
  return Buffer.concat([Buffer.from(head(lines)), body]);
})();
const redirecting = (status: number): Behaviour =>
  says(
    `HTTP/1.1 ${status} Moved\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n`,
  );

interface Case {
  readonly what: string;
  readonly behave: Behaviour;
  /** What the delivery says after its first attempt. */
  readonly expected: { status: string; error: string | null; code: number | null };
}

const fails = (
  what: string,
  error: string,
  behave: Behaviour,
  code: number | null = null,
): Case => ({
  what,
  behave,
  expected: { status: 'retrying', error, code },
});
const succeeds = (what: string, behave: Behaviour, code = 200): Case => ({
  what,
  behave,
  expected: { status: 'succeeded', error: null, code },
});

const cases: Case[] = [
  fails('hangs', 'timeout', () => {}),
  fails('drips its head', 'timeout', floods('HTTP/1.1 200 OK\r\nx: ', Buffer.from('a'), 50)),
  fails('drips a failure', 'status', floods('HTTP/1.1 500 No\r\n\r\n', Buffer.from('x'), 50), 500),
  succeeds('drips a body', floods(head('Content-Length: 9999\r\n'), Buffer.from('a'), 50)),
  succeeds('sends 300 MB', floods(head(`Content-Length: ${LARGE}\r\n`), Buffer.alloc(65_536, 'x'))),
  succeeds('sends a gzip bomb', says(bomb)),
  fails('sends a header of 20 KB', 'connection', says(head(`x: ${'a'.repeat(20_480)}\r\n`))),
  fails('sends 3,000 headers', 'connection', says(head('xyz: abcdef\r\n'.repeat(3_000)))),
  fails(
    'sends two lengths',
    'connection',
    says(head('Content-Length: 2\r\nContent-Length: 3\r\n')),
  ),
  fails(
    'changes the protocol',
    'connection',
    says('HTTP/1.1 101 Go\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  ),
  fails('continues unasked', 'connection', says('HTTP/1.1 100 Continue\r\n\r\n')),
  fails('speaks HTTP/0.9', 'connection', says('hello there')),
  fails('resets', 'connection', (socket) =>
    socket.write('HTTP/1.1 2', () => socket.resetAndDestroy()),
  ),
  fails('ends', 'connection', (socket) => socket.end()),
  succeeds('sends 204 with a body', says('HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\nok'), 204),
  succeeds('sends 205 with a body', says('HTTP/1.1 205 No\r\nContent-Length: 2\r\n\r\nok'), 205),
  ...[301, 302, 303, 307, 308].map((status) =>
    fails(`redirects with ${status}`, 'redirect', redirecting(status), status),
  ),
  succeeds(
    'refreshes',
    says(head('Refresh: 0; url=http://169.254.169.254/\r\nContent-Length: 0\r\n')),
  ),
  succeeds('answers', ok),
];

/** Certificates and protocols that nothing is sent to. */
const identities: Record<string, () => TlsOptions> = {
  'an expired certificate': () => authority.issue(HOST, new Date(Date.now() - 86_400_000)),
  'a certificate of another name': () => authority.issue('other.shop.com'),
  'a certificate of its own making': () => selfSigned(HOST),
  'TLS 1.0 only': () => ({
    ...authority.issue(HOST),
    minVersion: 'TLSv1',
    maxVersion: 'TLSv1',
    ciphers: 'DEFAULT@SECLEVEL=0',
  }),
};

interface Row {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly code: number | null;
  readonly attempts: number;
  readonly response: string | null;
  readonly written: number;
}

/** The only delivery of a new endpoint, once its first attempt is written down. */
async function firstAttemptAt(url: string): Promise<Row | undefined> {
  const { ctx, workspaceId } = await aWorkspace(database);
  await anEndpoint(ctx, url);
  await sentEvents(database, workspaceId);
  void running.waker.wake('events');
  const delivery = async () =>
    (
      await sqlOver(database.system).rows<Row>(
        `select d.*, (select count(*)::int from webhook_attempts a where a.delivery_id = d.id) as written
         from webhook_deliveries d where d.organization_id = $1`,
        [workspaceId],
      )
    )[0];
  await eventually(async () => (await delivery())?.attempts === 1);
  return delivery();
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;

beforeAll(async () => {
  database = await openOwnDatabase();
  for (const { behave } of cases) servers.push(await startTcp(behave));
  sender = createSafeSender({
    trustedOrigins: servers.map(({ port }) => `http://127.0.0.1:${port}`),
    deadlineMs: 5_000,
    resolve: async () => ({ kind: 'found', addresses: ['127.0.0.1'] }),
    isPublic: (address) => address === '127.0.0.1',
    ca: authority.ca,
  });
  const parts = { sender };
  running = await runRelay({ url: database.url, database, trustedOrigins: [], parts });
});

afterAll(async () => {
  await running.stop();
  await sender.close();
  for (const server of servers) await server.close();
  await database.close();
});

describe('a receiver of webhooks', () => {
  it('costs its own delivery one attempt at most, whatever it does, all of them at once', async () => {
    const before = openFiles();

    const rows = await Promise.all(
      servers.map(({ port }) => firstAttemptAt(`http://127.0.0.1:${port}/in`)),
    );

    const seen = cases.map(({ what }, n) => {
      const { status, error, code, attempts, written } = rows[n] ?? {};
      return { what, status, error, code, attempts, written };
    });
    expect(seen).toEqual(
      cases.map(({ what, expected }) => ({ what, ...expected, attempts: 1, written: 1 })),
    );
    for (const row of rows) {
      expect(row?.response?.length ?? 0).toBeLessThanOrEqual(500);
      expect((row?.response ?? '').isWellFormed()).toBe(true);
    }
    // Whoever was given up is closed; what is kept alive goes with its time.
    const misbehaved = servers.filter((_, n) => rows[n]?.status === 'retrying');
    await eventually(() => misbehaved.every(({ open }) => open.size <= 1));
    expect(running.relay.figures().inFlight).toBe(0);
    expect(openFiles()).toBeLessThan(before + 2 * cases.length + 20);
  });
});

describe('a receiver behind TLS', () => {
  it.each(Object.keys(identities))(
    'gets nothing with %s, and the attempt is retried',
    async (name) => {
      const server = await startTls(identities[name]?.() ?? {}, ok);

      const row = await firstAttemptAt(`https://${HOST}:${server.port}/in`);

      expect(row).toMatchObject({ status: 'retrying', error: 'tls', code: null, attempts: 1 });
      expect(server.received).toEqual([]);
      await server.close();
    },
  );
});
