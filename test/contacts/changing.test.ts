import { describe, expect, it } from '@jest/globals';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { openApi } from '../support/api.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: contactRoutes }));
const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.call(method, `/contacts${path}`, body);

let refusals = 0;

describe('changing a contact', () => {
  const aPerson = async (phone: string): Promise<string> =>
    (await call('POST', '', { name: 'Fábio', phone, email: 'f@example.com' })).body.id;

  it('answers the id, changes only what it names, and audits before and after', async () => {
    const id = await aPerson('+5511987651001');

    const changed = await call('PATCH', `/${id}`, { name: 'Fabiana', owner_id: door.ownerId });

    const found = await call('GET', `/${id}`);
    const entries = await rowsOf<{ changes: unknown }>(
      door.ctx,
      "select changes from audit_entries where action = 'contact.updated' and target ->> 'id' = $1",
      [id],
    );
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ id });
    expect(found.body).toMatchObject({
      name: 'Fabiana',
      owner_id: door.ownerId,
      phone: '+5511987651001',
      email: 'f@example.com',
    });
    expect(entries).toEqual([
      {
        changes: [
          { field: 'name', from: 'Fábio', to: 'Fabiana' },
          { field: 'owner_id', from: null, to: door.ownerId },
        ],
      },
    ]);
  });

  it('writes nothing when nothing differs', async () => {
    const id = await aPerson('+5511987651002');
    const before = (await call('GET', `/${id}`)).body.updated_at;

    const same = await call('PATCH', `/${id}`, { name: 'Fábio', phone: '+55 11 98765-1002' });

    const entries = await rowsOf(
      door.ctx,
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

  it('takes an owner, and null for none', async () => {
    const id = await aPerson('+5511987651009');
    const owner = async () => (await call('GET', `/${id}`)).body.owner_id;

    await call('PATCH', `/${id}`, { owner_id: door.ownerId });
    const given = await owner();
    await call('PATCH', `/${id}`, { owner_id: null });

    expect([given, await owner()]).toEqual([door.ownerId, null]);
  });

  it('replaces tags, merges custom fields by key, and takes the rest as it is given', async () => {
    const id = await aPerson('+5511987651010');
    await call('PATCH', `/${id}`, { tags: ['a', 'b'], custom: { city: 'Santos', size: 'M' } });

    await call('PATCH', `/${id}`, {
      tags: [' VIP', 'vip '],
      custom: { size: null, colour: 'blue' },
      language: 'pt-BR',
      time_zone: 'America/Manaus',
      notes: 'Liga à tarde',
      blocked: true,
    });

    expect((await call('GET', `/${id}`)).body).toMatchObject({
      name: 'Fábio',
      tags: ['VIP'],
      custom: { city: 'Santos', colour: 'blue' },
      language: 'pt-BR',
      time_zone: 'America/Manaus',
      notes: 'Liga à tarde',
      blocked: true,
    });
    const [entry] = await rowsOf<{ changes: unknown }>(
      door.ctx,
      "select changes from audit_entries where action = 'contact.updated' and target ->> 'id' = $1 order by seq desc",
      [id],
    );
    expect(entry?.changes).toEqual(
      expect.arrayContaining([
        { field: 'custom.size', from: 'M', to: null },
        { field: 'custom.colour', from: null, to: 'blue' },
        { field: 'notes', from: '[hidden]', to: '[hidden]' },
      ]),
    );
  });

  it('keeps a birthday without its year in 1904, and asks for the year when it becomes known', async () => {
    const id = await aPerson('+5511987651011');
    const birthday = async () => {
      const { birth_date, birth_year_known } = (await call('GET', `/${id}`)).body;
      return [birth_date, birth_year_known];
    };

    await call('PATCH', `/${id}`, { birth_date: '1990-02-28' });
    const whole = await birthday();
    await call('PATCH', `/${id}`, { birth_year_known: false });
    const day = await birthday();
    const refused = await call('PATCH', `/${id}`, { birth_year_known: true });
    await call('PATCH', `/${id}`, { birth_date: '1991-02-28', birth_year_known: true });
    const again = await birthday();
    await call('PATCH', `/${id}`, { birth_date: null });

    expect([whole, day, again, await birthday()]).toEqual([
      ['1990-02-28', true],
      ['1904-02-28', false],
      ['1991-02-28', true],
      [null, true],
    ]);
    expect(refused.status).toBe(422);
  });

  it('refuses a hundred and first custom field, and changes nothing', async () => {
    const id = await aPerson('+5511987651012');
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, i]));
    await call('PATCH', `/${id}`, { custom: many });

    const refused = await call('PATCH', `/${id}`, { name: 'Outro', custom: { one_more: 1 } });

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toContainEqual(
      expect.objectContaining({ path: 'custom', rule: 'max_items', limit: 100 }),
    );
    expect((await call('GET', `/${id}`)).body.name).toBe('Fábio');
  });

  it.each([
    ['opted_out', { opted_out: false }],
    ['tags[0]', { tags: [''] }],
    ['custom.Ã', { custom: { Ã: 1 } }],
    ['custom.__proto__', { custom: JSON.parse('{"__proto__":1}') }],
    ['time_zone', { time_zone: 'Mars/Base' }],
    ['language', { language: '!' }],
    ['birth_date', { birth_date: '1899-12-31' }],
    ['birth_date', { birth_date: '2999-01-01' }],
    ['blocked', { blocked: 'yes' }],
    ['created_at', { created_at: '2020-01-01T00:00:00Z' }],
    ['organization_id', { organization_id: 'org_x' }],
    ['phone', { phone: null }],
    ['email', { email: `${'x'.repeat(250)}@example.com` }],
    ['name', { name: 'x'.repeat(201) }],
  ])('refuses a patch whose %s is not the caller’s to write so', async (path, patch) => {
    const id = await aPerson(`+55119876${52_000 + ++refusals}`);

    const refused = await call('PATCH', `/${id}`, patch);

    expect(refused.status).toBe(422);
    expect(refused.body.error.details).toContainEqual(expect.objectContaining({ path }));
  });

  it('cannot clear an opt-out, whatever else it changes', async () => {
    const id = await aPerson('+5511987653001');
    await rowsOf(door.ctx, 'update contacts set opted_out = true where id = $1', [id]);

    await call('PATCH', `/${id}`, { name: 'Outro', phone: '+5511987653002' });

    expect((await call('GET', `/${id}`)).body.opted_out).toBe(true);
  });
});
