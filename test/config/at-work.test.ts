import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { listApiKeys } from '../../src/api-keys/service.ts';
import type { Context } from '../../src/context.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openTestDatabase, type TestDatabase } from '../support/database.ts';
import { devServer } from '../support/env.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anAutomation } from '../support/factories/automations.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { ownPort } from '../support/ports.ts';
import { until } from '../support/processes/child.ts';
import { openProcesses, type Processes } from '../support/processes/processes.ts';
import { rowsOf } from '../support/rows-of.ts';

const CALLER = '203.0.113.9';
const LIMIT = 100 * 1024 * 1024;

interface Check {
  readonly name: string;
  readonly ok: boolean;
}

let files: TestDatabase;
let database: Database;
let processes: Processes;
let ctx: Context;
let headers: Record<string, string>;
let call: (path: string, method?: string, body?: FormData) => Promise<Response>;

/** A process with both roles, behind a proxy, with an AI, whose workspaces upload little. */
beforeAll(async () => {
  files = await openTestDatabase();
  database = await openDatabase({ url: files.url, poolSize: 2 });
  processes = await openProcesses({
    databaseUrl: files.url,
    temporalAddress: devServer().address,
  });
  ({ ctx } = await aWorkspace(database));
  const { key } = await anApiKey(ctx, SCOPE_NAMES);
  const { baseUrl } = await processes.start('api,worker', {
    TRUSTED_PROXIES: '127.0.0.0/8',
    UPLOAD_MB_PER_DAY: '100',
    AI_BASE_URL: 'http://127.0.0.1:1/v1',
    AI_MODEL: 'a-model',
  });
  headers = { authorization: `Bearer ${key}`, 'x-forwarded-for': CALLER };
  call = (path, method = 'GET', body = undefined) =>
    fetch(baseUrl + path, { method, headers, ...(body ? { body } : {}) });
});
afterAll(async () => {
  await processes?.close();
  await database?.close();
  await files?.close();
});

it('a caller behind a trusted proxy is known by the address that the proxy names', async () => {
  await call('/api/v1/contacts');

  expect(await transact(ctx, listApiKeys)).toMatchObject([{ last_used_ip: CALLER }]);
});

it('a workspace uploads as much as its operator allows', async () => {
  await rowsOf(
    ctx,
    "insert into uploaded_hours values ($1, date_trunc('hour', now(), 'UTC'), $2)",
    [ctx.organizationId, LIMIT],
  );
  const form = new FormData();
  form.append('file', new Blob(['a']), 'a.txt');

  const refused = await call('/api/v1/media', 'POST', form);

  expect(await refused.json()).toMatchObject({ error: { details: { limit: LIMIT, used: LIMIT } } });
});

it('an AI that is configured is not missed in automations', async () => {
  const steps = [
    { id: 'talk', type: 'ai_reply' as const, goal: 'Sell a cake.', next: 'end' },
    { id: 'end', type: 'end' as const },
  ];
  const { id } = await anAutomation(ctx, { steps });

  const activated = await call(`/api/v1/automations/${id}/activate`, 'POST');

  expect(await activated.json()).toMatchObject({ status: 'active', issues: [] });
});

it('the metrics of a process that has both roles are those of both', async () => {
  const text = await (await call('/metrics')).text();

  for (const metric of ['wms_facts_waiting 0', 'wms_passed_over_total 0', 'wms_inbound_total{'])
    expect(text).toContain(`\n${metric}`);
  for (const role of ['api', 'worker']) expect(text).toContain(`wms_ready{role="${role}"} 1`);
});

it('a process with both roles that starts while Temporal is away answers its callers', async () => {
  const port = String(await ownPort());
  // It is not ready before its worker runs.
  const started = processes.start('api,worker', { PORT: port, TEMPORAL_ADDRESS: '127.0.0.1:1' });
  started.catch(() => {});
  const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${port}${path}`);

  await until('it answers', async () => (await ask('/healthz')).ok);
  const { checks } = (await (await ask('/readyz')).json()) as { checks: Check[] };

  expect((await ask('/api/v1/contacts')).status).toBe(401);
  const amiss = checks.filter(({ ok }) => !ok).map(({ name }) => name);
  expect(amiss).toEqual(expect.arrayContaining(['temporal', 'worker']));
});

it('a call that has begun when its process is asked to end is still answered', async () => {
  const port = await ownPort();
  const api = await processes.start('api', { PORT: String(port) });
  const body = JSON.stringify({ name: 'Ana', phone: '+5511987654321' });
  const asking = request(`${api.baseUrl}/api/v1/contacts`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    },
  });
  asking.flushHeaders();
  await once(asking, 'continue');

  void api.kill('SIGTERM');
  await until('it takes no more calls', () =>
    fetch(api.baseUrl).then(
      () => false,
      () => true,
    ),
  );
  asking.end(body);
  const [{ statusCode }] = await once(asking, 'response');

  expect(statusCode).toBe(201);
  expect(await api.exited).toBe(0);
});
