import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { drainBacklog } from '../../../src/webhooks/lanes/backlog/backlog.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import { refusedUrls } from '../../net/support/urls.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace, type WorkspaceWishes } from '../../support/factories/workspaces.ts';
import { openDoor } from '../../support/http.ts';
import { opened } from '../../support/opened.ts';

const door = opened(() =>
  openDoor({
    routes: webhookRoutes({ keyring: testKeyring, trustedOrigins: [] }),
    keyring: testKeyring,
  }),
);

async function aCaller(wishes: WorkspaceWishes = {}) {
  const { ctx, workspaceId } = await aWorkspace(door.database, wishes);
  const { key } = await anApiKey(ctx);
  const call = (method: string, path: string, body?: unknown, headers = {}) =>
    door.api.call(method, `/api/v1/webhooks${path}`, {
      key,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  return { workspaceId, call };
}

const endpoint = {
  name: 'Pedidos',
  url: 'https://hooks.example.com/in?a=1',
  events: ['message.sent', 'contact.created'],
};

describe('creating a webhook endpoint', () => {
  it('shows the secret once and keeps it encrypted', async () => {
    const { call, workspaceId } = await aCaller();

    const created = await call('POST', '', endpoint);

    expect(created.status).toBe(201);
    expect(Object.keys(created.body)).toEqual(['id', 'secret']);
    expect(created.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const listed = await call('GET', '');
    expect(listed.body).toEqual({
      data: [
        {
          id: created.body.id,
          ...endpoint,
          created_at: expect.stringMatching(/Z$/),
          status: 'active',
        },
      ],
      next_cursor: null,
    });
    const [row] = await sqlOver(door.database.system).rows<{ secret: string }>(
      'select secret from webhook_endpoints where organization_id = $1',
      [workspaceId],
    );
    expect(row?.secret).toMatch(/^v1\|test\|/);
    expect(row?.secret).not.toContain(created.body.secret.slice(6, 20));
  });

  it.each([
    ['http://localhost:4000/hooks', true],
    ['https://127.0.0.1', true],
    ['https://[::1]:8443/', true],
    ['http://localhost.example.com/', false],
    ['https://10.0.0.1/', false],
  ])('says of %s how events come to one’s own machine: %s', async (url, says) => {
    const { call } = await aCaller();

    const { body } = await call('POST', '', { ...endpoint, url });

    expect(body.error.details[0].path).toBe('url');
    expect(body.error.details[0].message.includes('wms listen')).toBe(says);
  });

  it.each([
    ['http://hooks.example.com/', 'https_only'],
    ['https://10.0.0.1/', 'no_ip'],
    ['https://user:pw@hooks.example.com/', 'no_credentials'],
    ['https://printer.local/', 'reserved_domain'],
    ['https://hooks.example.com:25/', 'port'],
    ['not a url', 'malformed'],
  ])('refuses the address %s with the rule %s', async (url, rule) => {
    const { call } = await aCaller();

    const refused = await call('POST', '', { ...endpoint, url });

    expect(refused.status).toBe(422);
    expect(refused.body.error.code).toBe('validation');
    expect(refused.body.error.details).toMatchObject([{ path: 'url', rule }]);
    expect((await call('GET', '')).body.data).toEqual([]);
  });

  it('refuses every address that its text gives away, and keeps none', async () => {
    const { call } = await aCaller();
    const urls = refusedUrls.flatMap(([, , group]) => group);

    const replies = [];
    for (const url of urls) replies.push(await call('POST', '', { ...endpoint, url }));

    const odd = replies.filter(
      ({ status, body }) => status !== 422 || body.error.details?.[0]?.path !== 'url',
    );
    expect(odd.map(({ text }) => text)).toEqual([]);
    expect(urls.length).toBeGreaterThan(120);
    expect((await call('GET', '')).body.data).toEqual([]);
  });

  it.each([
    ['name', { ...endpoint, name: '' }, 'min_length'],
    ['name', { ...endpoint, name: '😀'.repeat(61) }, 'max_length'],
    ['events', { ...endpoint, events: [] }, 'min_items'],
    ['events', { ...endpoint, events: ['message.sent', 'message.sent'] }, 'unique'],
    ['events[0]', { ...endpoint, events: ['message.flown'] }, 'enum'],
    ['status', { ...endpoint, status: 'active' }, 'unknown_field'],
  ])('names the field %s that is wrong', async (path, body, rule) => {
    const { call } = await aCaller();

    const refused = await call('POST', '', body);

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject([{ path, rule }]);
  });

  it('counts a name in characters, not in code units', async () => {
    const { call } = await aCaller();
    expect((await call('POST', '', { ...endpoint, name: '😀'.repeat(60) })).status).toBe(201);
  });

  it('never goes over the plan, however many ask at once', async () => {
    const { call } = await aCaller({ plan: 'essencial' });

    const answers = await Promise.all(Array.from({ length: 12 }, () => call('POST', '', endpoint)));

    const refused = answers.filter((answer) => answer.status === 409);
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(2);
    expect(refused).toHaveLength(10);
    expect(refused[0]?.body.error).toMatchObject({
      code: 'quota',
      details: { limit: 2, used: 2, plan: 'essencial' },
    });
  });

  it('is repeated with the same secret by its Idempotency-Key, and stored encrypted', async () => {
    const { call } = await aCaller();
    const header = { 'idempotency-key': 'endpoint-1' };

    const first = await call('POST', '', endpoint, header);
    const again = await call('POST', '', endpoint, header);

    expect(again.body).toEqual(first.body);
    expect((await call('GET', '')).body.data).toHaveLength(1);
  });
});

describe('deleting a webhook endpoint', () => {
  it('ends its deliveries, frees its place and answers like a missing one afterwards', async () => {
    const { call, workspaceId } = await aCaller({ plan: 'essencial' });
    const { id } = (await call('POST', '', endpoint)).body;
    await sentEvents(door.database, workspaceId, 3);
    const sql = sqlOver(door.database.system);
    await fanOut(sql, { token: 'tests', full: [] }, 10);
    await sql.rows(
      "update webhook_deliveries set owned_by_workflow = true, status = 'retrying' where id = (select max(id) from webhook_deliveries where endpoint_id = $1)",
      [id],
    );

    const deleted = await call('DELETE', `/${id}`);
    const parts = { database: door.database, clock: door.api.deps.clock, wake: () => {} };
    await drainBacklog(parts, { organizationId: workspaceId, endpointId: id });

    expect(deleted.status).toBe(200);
    expect(deleted.body).toEqual({ id, deleted: true });
    const rows = await sql.rows(
      'select status, error, finished_at is not null as finished from webhook_deliveries where endpoint_id = $1',
      [id],
    );
    expect(rows).toEqual(
      Array.from({ length: 3 }, () => ({ status: 'failed', error: 'expired', finished: true })),
    );
    const commands = await sql.rows<{ type: string }>(
      'select type from facts where not is_event and organization_id = $1 order by id',
      [workspaceId],
    );
    expect(commands.map(({ type }) => type)).toEqual(['delivery.changed', 'endpoint.changed']);
    expect((await call('DELETE', `/${id}`)).status).toBe(404);
    expect((await call('GET', '')).body.data).toEqual([]);
    await call('POST', '', endpoint);
    expect((await call('POST', '', endpoint)).status).toBe(201);
  });

  it('is recorded in the audit log, as is creating one, without the secret', async () => {
    const { call, workspaceId } = await aCaller();
    const { id, secret } = (await call('POST', '', endpoint)).body;
    await call('DELETE', `/${id}`);

    const entries = await inWorkspace(door.database, workspaceId, (sql) =>
      sql.rows<{ action: string; entry: string }>(
        "select action, audit_entries::text as entry from audit_entries where action like 'webhook.%' order by seq",
      ),
    );

    expect(entries.map((entry) => entry.action)).toEqual(['webhook.created', 'webhook.deleted']);
    expect(entries[0]?.entry).not.toContain(secret);
  });
});
