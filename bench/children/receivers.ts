/**
 * Customers' servers, each at a port of its own with one way to behave, in a process outside of the
 * service. What came is written down before it is answered: that ledger is the truth of a measurement.
 */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { certificateAuthority } from '../../test/net/support/certificates.ts';
import { startNameServer } from '../../test/net/support/name-server.ts';
import { behaviours, isReachable, type Kind } from '../support/behaviours.ts';
import { machineNow } from '../support/machine-clock.ts';
import type { Opened, Receipt } from '../support/receivers.ts';

const HOSTS = {
  'a private address in the DNS': 'private.receivers.com',
  'a name that does not exist': 'missing.receivers.com',
} as const;

/** What came of each event, for each receiver in the order of opening. */
const ledger: Map<string, Receipt>[] = [];
const names = await startNameServer({
  [HOSTS['a private address in the DNS']]: ['10.1.2.3'],
  // The service asks for these to find out whether its own name server works.
  'example.com': ['93.184.215.14'],
  'cloudflare.com': ['104.16.132.229'],
});

async function listen(server: Server): Promise<number> {
  server.keepAliveTimeout = 60_000;
  server.requestTimeout = 0;
  server.on('clientError', (_error, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

const serve =
  (events: Map<string, Receipt>, kind: Kind): RequestListener =>
  (request, response) => {
    const id = String(request.headers['webhook-id']);
    const receipt = events.get(id) ?? { firstAt: machineNow(), requests: 0, accepted: 0 };
    events.set(id, receipt);
    receipt.requests += 1;
    request.socket.on('error', () => {});
    request.resume();
    request.once('end', () => {
      const behave = isReachable(kind) ? behaviours[kind] : behaviours.good;
      void Promise.resolve(behave(request, response)).then((accepted) => {
        if (accepted) receipt.accepted += 1;
      });
    });
  };

async function open(kind: Kind): Promise<Opened> {
  const events = new Map<string, Receipt>();
  ledger.push(events);
  if (kind === 'a private address in the DNS' || kind === 'a name that does not exist')
    return { origin: `https://${HOSTS[kind]}`, trusted: false };
  if (kind === 'a certificate nobody trusts') {
    const identity = certificateAuthority().issue('somebody-else.com');
    const port = await listen(createTlsServer(identity, serve(events, kind)));
    return { origin: `https://127.0.0.1:${port}`, trusted: true };
  }
  const server = createServer(serve(events, kind));
  const port = await listen(server);
  if (kind === 'a dead port') server.close();
  return { origin: `http://127.0.0.1:${port}`, trusted: true };
}

async function control(method: string, path: string, body: string): Promise<unknown> {
  if (method === 'POST') {
    const kinds = JSON.parse(body) as Kind[];
    const opened: Opened[] = [];
    for (const kind of kinds) opened.push(await open(kind));
    return opened;
  }
  if (path === '/names') return names.address;
  if (path === '/counts') return ledger.map((events) => events.size);
  return ledger.map((events) => [...events]);
}

const { RECEIVER_PORT = '' } = process.env;
createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '' } = request;
    void control(method, url, Buffer.concat(chunks).toString()).then((answer) =>
      response.end(JSON.stringify(answer)),
    );
  });
}).listen(Number(RECEIVER_PORT), '127.0.0.1');
