import { describe, expect, it } from '@jest/globals';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { errorGuide } from '../../src/http/error-guide/guide.ts';
import { openApi } from '../support/api.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import type { Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: contactRoutes }));
const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.call(method, `/contacts${path}`, body);

const rows = <R>(text: string, params: readonly unknown[] = []) =>
  rowsOf<R>(door.ctx, text, params);

describe('creating a contact', () => {
  it('answers the full record, with the phone in E.164 and as its first identity', async () => {
    const body = {
      name: 'Ana 👩‍👩‍👧 Souza',
      phone: '+55 (11) 98765-4321',
      email: 'ana@example.com',
      owner_id: door.ownerId,
      tags: ['VIP', 'vip', 'Padaria'],
      custom: { city: 'Campinas', orders: 3, likes: ['pão', 'bolo'] },
      birth_date: '2001-02-28',
      birth_year_known: false,
      language: 'pt-BR',
      time_zone: 'America/Manaus',
      notes: '=cmd()',
    };

    const created = await call('POST', '', body);
    const found = await call('GET', `/${created.body.id}`);

    expect(created.status).toBe(201);
    expect(found.body).toEqual(created.body);
    expect(created.body).toEqual({
      ...body,
      id: expect.stringMatching(/^con_[0-9A-Z]{26}$/),
      phone: '+5511987654321',
      tags: ['VIP', 'Padaria'],
      birth_date: '1904-02-28',
      opted_out: false,
      opted_out_at: null,
      opt_out_source: null,
      blocked: false,
      origin: 'import',
      created_via: 'api',
      identities: [{ type: 'phone', value: '+5511987654321', number_id: null, primary: true }],
      whatsapp_status: 'unknown',
      last_inbound_at: null,
      last_outbound_at: null,
      window_expires_at: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.body.created_at,
    });
  });

  it.each([
    [5, { rule: 'type', message: 'Must be an object.' }],
    [null, { rule: 'type', message: 'Must be an object.' }],
    [Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`k${i}`, i])), { limit: 100 }],
  ])('says what custom must be', async (custom, said) => {
    const refused = await call('POST', '', { name: 'Bia', custom });

    expect(refused.body.error.details).toEqual([
      expect.objectContaining({ path: 'custom', ...said }),
    ]);
  });

  it('takes null in custom for a key that is not there, as a change does', async () => {
    const created = await call('POST', '', { name: 'Bia', custom: { city: 'Santos', size: null } });

    expect(created.status).toBe(201);
    expect(created.body.custom).toEqual({ city: 'Santos' });
  });

  it('records contact.created and an audit entry of the key’s account, in the same transaction', async () => {
    const created = await call('POST', '', { name: 'Bia', phone: '+5511987650001' });

    const facts = await rows<{ payload: string }>(
      "select payload from facts where type = 'contact.created' and payload like $1",
      [`%${created.body.id}%`],
    );
    const entries = await rows(
      'select action, actor, request_id from audit_entries where target ->> $1 = $2',
      ['id', created.body.id],
    );
    expect(facts).toHaveLength(1);
    expect(JSON.parse(facts[0]?.payload ?? '').data).toMatchObject({
      contact: { id: created.body.id, phone: '+5511987650001', email: '', created_via: 'api' },
      created_by: { type: 'api', id: expect.stringMatching(/^sva_/) },
      contact_id: created.body.id,
      conversation_id: null,
      number_id: null,
    });
    expect(entries).toEqual([
      {
        action: 'contact.created',
        actor: expect.objectContaining({ type: 'service_account', name: 'Integração' }),
        request_id: created.headers.get('x-request-id'),
      },
    ]);
  });

  it('is by hand when a person in the console does it, and by the API through an app', async () => {
    const person = await aMember(door.ctx, { role: 'agent', console: true });
    const through = await aMember(door.ctx, { role: 'agent' });
    const by = async ({ token }: { token: string }, name: string) => {
      const { body } = await door.api.call('POST', '/api/v1/contacts', {
        key: token,
        body: { name },
      });
      const [fact] = await rows<{ payload: string }>(
        "select payload from facts where type = 'contact.created' and payload like $1",
        [`%${body.id}%`],
      );
      return JSON.parse(fact?.payload ?? '{}').data;
    };

    expect(await by(person, 'Gil')).toMatchObject({
      contact: { origin: 'team', created_via: 'member' },
      created_by: { type: 'member', id: person.id },
    });
    expect(await by(through, 'Hugo')).toMatchObject({
      contact: { origin: 'import', created_via: 'api' },
      created_by: { type: 'member', id: through.id },
    });
  });

  it('refuses a phone somebody has, in any spelling, and says who', async () => {
    const first = await call('POST', '', { name: 'Caio', phone: '+5511987650002' });

    const second = await call('POST', '', { name: 'Outro', phone: '+55 11 8765-0002' });

    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({
      code: 'duplicate',
      details: { contact_id: first.body.id },
    });
  });

  it('lets exactly one of many at once have a phone, and tells the others its id', async () => {
    const attempts = await Promise.all(
      Array.from({ length: 8 }, () => call('POST', '', { name: 'Duda', phone: '+5511987650003' })),
    );

    const winner = attempts.find(({ status }) => status === 201);
    const losers = attempts.filter(({ status }) => status === 409);
    expect(losers).toHaveLength(7);
    for (const loser of losers)
      expect(loser.body.error.details).toEqual({ contact_id: winner?.body.id });
  });

  it.each([
    ['an unknown field', { name: 'x', opted_out: false }, 'opted_out', 'unknown_field'],
    ['nobody at all', { notes: 'who?' }, 'name', 'required'],
    ['an empty name', { name: '' }, 'name', 'min_length'],
    ['a name of 201 characters', { name: '😀'.repeat(201) }, 'name', 'max_length'],
    ['a national phone', { phone: '11 98765-4321' }, 'phone', 'format'],
    ['a phone of 41 characters', { phone: `+55${'1'.repeat(38)}` }, 'phone', 'max_length'],
    ['no e-mail address', { email: 'ana' }, 'email', 'format'],
    ['a custom key with capitals', { name: 'x', custom: { City: 'a' } }, 'custom.City', 'format'],
    [
      'a custom key that no object keeps',
      { name: 'x', custom: JSON.parse('{"__proto__":"a","b":"c"}') },
      'custom.__proto__',
      'format',
    ],
    ['a number that loses digits', { name: 'x', custom: { a: 2 ** 53 } }, 'custom.a', 'range'],
    ['a name that nobody sees', { name: '\u200b\u200d' }, 'name', 'min_length'],
    ['a nested custom value', { name: 'x', custom: { a: { b: 1 } } }, 'custom.a', 'type'],
    ['a birthday to come', { name: 'x', birth_date: '2999-01-01' }, 'birth_date', 'range'],
    ['a birthday before 1900', { name: 'x', birth_date: '1899-12-31' }, 'birth_date', 'range'],
    ['a day that is none', { name: 'x', birth_date: '2026-02-30' }, 'birth_date', 'format'],
    ['no time zone', { name: 'x', time_zone: 'Mars/Base' }, 'time_zone', 'format'],
    ['an offset', { name: 'x', time_zone: '-03:00' }, 'time_zone', 'format'],
    ['no language', { name: 'x', language: 'português' }, 'language', 'format'],
  ])('refuses %s, names the field and writes nothing', async (_what, body, path, rule) => {
    const count = async () => (await rows('select 1 from contacts')).length;
    const before = await count();

    const refused = await call('POST', '', body);

    expect(refused.status).toBe(422);
    expect(refused.body.error.code).toBe('validation');
    expect(refused.body.error.details).toContainEqual(expect.objectContaining({ path, rule }));
    expect(await count()).toBe(before);
  });

  it('takes a name of 200 code points, whatever their width, and gives it back unchanged', async () => {
    const name = '😀'.repeat(200);

    const created = await call('POST', '', { name });

    expect(created.status).toBe(201);
    expect(created.body.name).toBe(name);
  });

  it('treats a member of another workspace as unknown', async () => {
    const other = await aWorkspace(door.database);

    const refused = await call('POST', '', { name: 'Eva', owner_id: other.ownerId });

    expect(refused.status).toBe(422);
    const { code, details } = refused.body.error;
    expect([code, details]).toEqual(['unknown_member', { owner_id: other.ownerId }]);
    expect(Object.keys(errorGuide.unknown_member.details ?? {})).toEqual(['owner_id']);
  });

  it('stops at the plan’s limit, however many calls come at once', async () => {
    const small = await aWorkspace(door.database, { plan: 'essencial' });
    const smallKey = (await anApiKey(small.ctx)).key;
    await inWorkspace(door.database, small.workspaceId, (sql) =>
      sql.rows(
        `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
         select $1, 'con_' || i, 'import', 'api', now(), now() from generate_series(1, 4998) i`,
        [small.workspaceId],
      ),
    );

    const attempts = await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        door.api.call('POST', '/api/v1/contacts', { key: smallKey, body: { name: `n${i}` } }),
      ),
    );

    const statuses = attempts.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 201, 409, 409, 409, 409]);
    expect(attempts.find(({ status }) => status === 409)?.body.error).toMatchObject({
      code: 'quota',
      details: { limit: 5000, used: 5000, plan: 'essencial' },
    });
  });
});
