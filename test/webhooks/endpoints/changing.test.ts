import { describe, expect, it } from '@jest/globals';
import { inWorkspace, sqlOver } from '../../../src/db/database.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { webhookRoutes } from '../../../src/webhooks/routes.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { testKeyring } from '../../support/factories/numbers.ts';
import { sentEvents } from '../../support/factories/webhooks.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { openDoor } from '../../support/http.ts';
import { opened } from '../../support/opened.ts';

const door = opened(() =>
  openDoor({
    routes: webhookRoutes({ keyring: testKeyring, trustedOrigins: [] }),
    keyring: testKeyring,
  }),
);

async function aCaller() {
  const { ctx, workspaceId } = await aWorkspace(door.database);
  const { key } = await anApiKey(ctx);
  const call = (method: string, path: string, body?: unknown) =>
    door.api.call(method, `/api/v1/webhooks${path}`, {
      key,
      ...(body === undefined ? {} : { body }),
    });
  return { workspaceId, call };
}

const endpoint = {
  name: 'Pedidos',
  url: 'https://hooks.example.com/in?a=1',
  events: ['message.sent', 'contact.created'],
};

describe('reading and changing a webhook endpoint', () => {
  it('never shows the secret', async () => {
    const { call } = await aCaller();
    const { id, secret } = (await call('POST', '', endpoint)).body;

    const got = await call('GET', `/${id}`);
    const patched = await call('PATCH', `/${id}`, { name: 'Loja' });

    expect(got.body).toEqual({
      id,
      ...endpoint,
      created_at: expect.stringMatching(/Z$/),
      status: 'active',
    });
    expect(patched.body).toEqual({ ...got.body, name: 'Loja' });
    expect(got.text + patched.text).not.toContain(secret);
  });

  it('changes what the patch names and leaves the rest', async () => {
    const { call } = await aCaller();
    const { id } = (await call('POST', '', endpoint)).body;

    await call('PATCH', `/${id}`, { events: ['message.received'] });
    await call('PATCH', `/${id}`, { url: 'HTTPS://New.Example.com/in' });
    const nothing = await call('PATCH', `/${id}`, {});

    expect(nothing.status).toBe(200);
    expect(nothing.body).toMatchObject({
      name: endpoint.name,
      url: 'https://new.example.com/in',
      events: ['message.received'],
    });
    expect((await call('GET', `/${id}`)).body).toEqual(nothing.body);
  });

  it('sends what is still to be delivered to the new address, with the same secret', async () => {
    const { call, workspaceId } = await aCaller();
    const { id } = (await call('POST', '', endpoint)).body;
    await sentEvents(door.database, workspaceId, 1);
    const sql = sqlOver(door.database.system);
    const secretOf = () => sql.rows('select secret from webhook_endpoints where id = $1', [id]);
    const before = await secretOf();

    await call('PATCH', `/${id}`, { url: 'https://new.example.com/in' });

    const { claimed } = await fanOut(sql, { token: 'tests', full: [] }, 10);
    const ours = claimed.filter(({ endpointId }) => endpointId === id);
    expect(ours.map(({ url }) => url)).toEqual(['https://new.example.com/in']);
    expect(await secretOf()).toEqual(before);
  });

  it.each([
    ['url', { url: 'https://10.0.0.1/' }, 'no_ip'],
    ['url', { url: 'http://hooks.example.com/' }, 'https_only'],
    ['url', { url: 'https://user:pw@hooks.example.com/' }, 'no_credentials'],
    ['url', { url: '' }, 'min_length'],
    ['name', { name: '' }, 'min_length'],
    ['events', { events: [] }, 'min_items'],
    ['events', { events: ['message.sent', 'message.sent'] }, 'unique'],
    ['secret', { secret: 'whsec_x' }, 'unknown_field'],
    ['status', { status: 'paused' }, 'unknown_field'],
  ])('refuses a wrong %s and changes nothing', async (path, patch, rule) => {
    const { call } = await aCaller();
    const { id } = (await call('POST', '', endpoint)).body;
    const before = await call('GET', `/${id}`);

    const refused = await call('PATCH', `/${id}`, { name: 'Other', ...patch });

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toMatchObject([{ path, rule }]);
    expect((await call('GET', `/${id}`)).body).toEqual(before.body);
  });

  it('is recorded with what changed, and not at all when nothing did', async () => {
    const { call, workspaceId } = await aCaller();
    const { id } = (await call('POST', '', endpoint)).body;

    await call('PATCH', `/${id}`, { name: 'Loja', url: endpoint.url });
    await call('PATCH', `/${id}`, { name: 'Loja', url: endpoint.url });

    const entries = await inWorkspace(door.database, workspaceId, (sql) =>
      sql.rows("select changes from audit_entries where action = 'webhook.updated'"),
    );
    expect(entries).toEqual([{ changes: [{ field: 'name', from: 'Pedidos', to: 'Loja' }] }]);
  });

  it('answers a deleted endpoint like a missing one', async () => {
    const { call } = await aCaller();
    const { id } = (await call('POST', '', endpoint)).body;
    await call('DELETE', `/${id}`);

    expect((await call('GET', `/${id}`)).status).toBe(404);
    expect((await call('PATCH', `/${id}`, { name: 'Loja' })).status).toBe(404);
  });
});
