import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDatabase } from '../../src/db/database.ts';
import { readyGauge } from '../../src/figures.ts';
import { openApiMount } from '../../src/http/openapi/document.ts';
import { askAll, operationalMounts } from '../../src/http/serving/health.ts';
import { httpMetrics } from '../../src/http/serving/metrics.ts';
import { reach } from '../../src/temporal/address.ts';
import { aCredential, type Credential } from '../support/credentials.ts';
import { openTestDatabase } from '../support/database.ts';
import { type OpenDoor, openDoor, serveApi, type TestApi } from '../support/http.ts';
import { noteRoutes } from '../support/notes.ts';
import { ownPort } from '../support/ports.ts';

const metrics = httpMetrics();
const temporalAt = (address: string) => ({ address, namespace: 'default' });
const probe = { well: true };
const probes = [
  {
    name: 'database',
    required: true,
    check: async () => {
      if (!probe.well) throw new Error('migrations are missing');
      return 'migrated';
    },
  },
  { name: 'temporal', required: false, check: () => reach(temporalAt('127.0.0.1:1')) },
];

readyGauge(metrics.registry, ['api'], async () => (await askAll(probes)).ready);

let door: OpenDoor;
let api: TestApi;
let shop: Credential;

beforeAll(async () => {
  const mounts = [
    ...operationalMounts(probes, metrics),
    openApiMount(noteRoutes, 'http://api.test'),
  ];
  door = await openDoor({ routes: noteRoutes, mounts, metrics, trustedProxies: ['127.0.0.1/32'] });
  api = door.api;
  shop = await aCredential(door.database);
});

afterAll(() => door.close());

describe('the operational addresses', () => {
  it('say that the process lives', async () => {
    const reply = await api.call('GET', '/healthz');

    expect([reply.status, reply.body]).toEqual([200, { status: 'ok' }]);
    expect(reply.headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('say ready while all that is required is well, and name what is not', async () => {
    const ready = await api.call('GET', '/readyz');
    probe.well = false;
    const unready = await api.call('GET', '/readyz');
    probe.well = true;

    const detail = 'Temporal at 127.0.0.1:1 does not listen: ECONNREFUSED';
    const temporal = { name: 'temporal', ok: false, required: false, detail };
    expect([ready.status, ready.body]).toEqual([
      200,
      {
        status: 'ready',
        checks: [{ name: 'database', ok: true, required: true, detail: 'migrated' }, temporal],
      },
    ]);
    expect([unready.status, unready.body.checks[0]]).toEqual([
      503,
      { name: 'database', ok: false, required: true, detail: 'migrations are missing' },
    ]);
  });

  it('show whether the process is ready, for the alert that none of its role is', async () => {
    const ready = await api.call('GET', '/metrics');
    probe.well = false;
    const unready = await api.call('GET', '/metrics');
    probe.well = true;

    expect(ready.text).toContain('wms_ready{role="api"} 1');
    expect(unready.text).toContain('wms_ready{role="api"} 0');
  });

  it('are not counted: what a probe hears is no answer to a caller', async () => {
    probe.well = false;
    await api.call('GET', '/readyz');
    probe.well = true;
    await api.call('GET', '/healthz');
    await api.call('GET', '/metrics');

    expect((await api.call('GET', '/metrics')).text).not.toMatch(/"[^"]*(healthz|readyz|metrics)"/);
  });

  it('list Temporal by whether it listens, where no workflow runs', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;

    await expect(reach(temporalAt(`127.0.0.1:${port}`))).resolves.toBe('listens');
    server.close();
  });

  it('count requests by pattern and outcome, never by id or path', async () => {
    const path = '/api/v1/notes/team_01K00000000000000000000000';
    await api.call('GET', path, { key: shop.key });
    await api.call('GET', path);
    await api.call('GET', '/secret/path');

    const { text } = await api.call('GET', '/metrics');

    expect(text).toContain(
      'wms_http_request_duration_seconds_count{method="GET",route="/v1/notes/:id",status="404"} 1',
    );
    expect(text).toContain('wms_http_unauthorized_total 1');
    expect(text).toContain('route="unmatched",status="404"');
    expect(text).not.toMatch(/01K0000|secret/);
  });

  it('serve the description of the API as JSON, to everyone', async () => {
    const reply = await api.call('GET', '/openapi.json');

    expect(reply.headers.get('content-type')).toContain('application/json');
    expect(reply.body.openapi).toBe('3.1.1');
  });
});

/** Stands between the service and PostgreSQL, and can be taken away. */
async function openGate(url: string) {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {});
    }
    near.pipe(far).pipe(near);
  });
  const port = await ownPort();
  const open = (): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await open();
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  const shut = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url: through.href, shut, reopen: open };
}

describe('a database that is away', () => {
  it('is 503 with a time to come back, and calls succeed again once it answers', async () => {
    const files = await openTestDatabase();
    const gate = await openGate(files.url);
    const database = await openDatabase({ url: gate.url });
    const own = await serveApi(database, { routes: noteRoutes });
    const { key } = await aCredential(database);
    await own.call('POST', '/api/v1/notes', { key, body: { name: 'before' } });
    const calls = () => [
      own.call('GET', '/api/v1/notes', { key }),
      own.call('POST', '/api/v1/notes', { key, body: { name: 'x' } }),
    ];

    gate.shut();
    const away = await Promise.all(calls());
    await gate.reopen();
    const [read, write] = await Promise.all(calls());
    await own.close();
    await database.close();
    gate.shut();
    await files.close();

    for (const reply of away) {
      expect([reply.status, reply.body.error.code]).toEqual([503, 'unavailable']);
      expect(reply.headers.get('retry-after')).toBe('1');
    }
    expect([read?.status, write?.status]).toEqual([200, 201]);
  });
});
