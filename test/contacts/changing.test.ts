import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contactRoutes } from '../../src/contacts/routes.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';

let door: OpenDoor;
let ctx: Context;
let key: string;
let ownerId: string;

beforeAll(async () => {
  door = await openDoor({ routes: contactRoutes });
  ({ ctx, ownerId } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
});

afterAll(() => door.close());

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.api.call(method, `/api/v1/contacts${path}`, { key, body });

const rows = <R>(text: string, params: readonly unknown[] = []): Promise<R[]> =>
  inWorkspace(door.database, ctx.organizationId, (sql) => sql.rows<R>(text, params));

describe('changing a contact', () => {
  const aPerson = async (phone: string): Promise<string> =>
    (await call('POST', '', { name: 'Fábio', phone, email: 'f@example.com' })).body.id;

  it('answers the id, changes only what it names, and audits before and after', async () => {
    const id = await aPerson('+5511987651001');

    const changed = await call('PATCH', `/${id}`, { name: 'Fabiana', owner_id: ownerId });

    const found = await call('GET', `/${id}`);
    const entries = await rows<{ changes: unknown }>(
      "select changes from audit_entries where action = 'contact.updated' and target ->> 'id' = $1",
      [id],
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ id });
    expect(found.body).toMatchObject({
      name: 'Fabiana',
      owner_id: ownerId,
      phone: '+5511987651001',
      email: 'f@example.com',
    });
    expect(entries).toEqual([
      {
        changes: [
          { field: 'name', from: 'Fábio', to: 'Fabiana' },
          { field: 'owner_id', from: null, to: ownerId },
        ],
      },
    ]);
  });

  it('writes nothing when nothing differs', async () => {
    const id = await aPerson('+5511987651002');
    const before = (await call('GET', `/${id}`)).body.updated_at;

    const same = await call('PATCH', `/${id}`, { name: 'Fábio', phone: '+55 11 98765-1002' });

    const entries = await rows(
      "select 1 from audit_entries where action = 'contact.updated' and target ->> 'id' = $1",
      [id],
    );
    expect(same.status).toBe(200);
    expect((await call('GET', `/${id}`)).body.updated_at).toBe(before);
    expect(entries).toEqual([]);
  });

  it('moves the phone, its identity and its match with it', async () => {
    const id = await aPerson('+5511987651003');

    await call('PATCH', `/${id}`, { phone: '+5511987651004' });

    const taken = await call('POST', '', { phone: '+551187651004' });
    const free = await call('POST', '', { phone: '+5511987651003' });
    const found = await call('GET', `/${id}`);
    expect(found.body.identities).toEqual([
      { type: 'phone', value: '+5511987651004', number_id: null, primary: true },
    ]);
    expect(taken.status).toBe(409);
    expect(free.status).toBe(201);
  });

  it('keeps the spelling WhatsApp told us when only the spelling changes', async () => {
    const id = await aPerson('+551187651005');

    await call('PATCH', `/${id}`, { phone: '+5511987651005' });

    expect((await call('GET', `/${id}`)).body.identities).toEqual([
      { type: 'phone', value: '+5511987651005', number_id: null, primary: true },
      { type: 'phone', value: '+551187651005', number_id: null, primary: false },
    ]);
  });

  it('refuses the phone of another person with 409 and that person’s id, and changes nothing', async () => {
    const holder = await aPerson('+5511987651006');
    const id = await aPerson('+5511987651007');

    const refused = await call('PATCH', `/${id}`, { name: 'Novo', phone: '+551187651006' });

    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({
      code: 'duplicate',
      details: { contact_id: holder },
    });
    expect((await call('GET', `/${id}`)).body).toMatchObject({
      name: 'Fábio',
      phone: '+5511987651007',
    });
  });

  it('clears the phone by an empty string and the e-mail address by null', async () => {
    const id = await aPerson('+5511987651008');

    await call('PATCH', `/${id}`, { phone: '', email: null });

    expect((await call('GET', `/${id}`)).body).toMatchObject({
      phone: null,
      email: null,
      identities: [],
    });
  });

  it.each([
    ['opted_out', { opted_out: false }],
    ['tags', { tags: ['x'] }],
    ['created_at', { created_at: '2020-01-01T00:00:00Z' }],
    ['organization_id', { organization_id: 'org_x' }],
    ['phone', { phone: null }],
    ['email', { email: `${'x'.repeat(250)}@example.com` }],
    ['name', { name: 'x'.repeat(201) }],
  ])('refuses a patch whose %s is not the caller’s to write so', async (path, patch) => {
    const id = await aPerson(`+55119876${52000 + path.length * 37}`);

    const refused = await call('PATCH', `/${id}`, patch);

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toContainEqual(expect.objectContaining({ path }));
  });

  it('cannot clear an opt-out, whatever else it changes', async () => {
    const id = await aPerson('+5511987653001');
    await rows('update contacts set opted_out = true where id = $1', [id]);

    await call('PATCH', `/${id}`, { name: 'Outro', phone: '+5511987653002' });

    expect((await call('GET', `/${id}`)).body.opted_out).toBe(true);
  });
});
