import { beforeEach, describe, expect, it } from '@jest/globals';
import { ApiError, createClient, paginate } from '../../clients/typescript/src/index.ts';
import { asSystem } from '../../src/db/database.ts';
import { aCredential } from '../support/credentials.ts';
import { everyRoute } from '../support/every-route.ts';
import { openDoor } from '../support/http.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openDoor({ routes: everyRoute }));
let key: string;
let keyId: string;

beforeEach(async () => {
  ({ key, keyId } = await aCredential(door.database));
});

const aClient = (apiKey = key) => createClient({ apiKey, baseUrl: door.api.url, firstWaitMs: 10 });

describe('the client, with the real service', () => {
  it('creates, reads and changes records, typed as the document names them', async () => {
    const api = aClient();

    const created = await api.createContact({ body: { name: 'Ana', phone: '+5511987654321' } });
    await api.updateContact({ path: { id: created.id }, body: { name: 'Ana Souza' } });
    const read = await api.getContact({ path: { id: created.id } });

    expect(read).toMatchObject({ id: created.id, name: 'Ana Souza', opted_out: false });
  });

  it('pages through a whole list, each record once, and stops when its caller does', async () => {
    const api = aClient();
    const made: string[] = [];
    for (let n = 0; n < 7; n += 1)
      made.push((await api.createContact({ body: { name: `Pessoa ${n}` } })).id);
    let pages = 0;
    const all = () =>
      paginate((page) => {
        pages += 1;
        return api.listContacts({ query: page });
      }, 3);

    const seen: string[] = [];
    for await (const contact of all()) seen.push(contact.id);
    expect(seen).toEqual(made.toReversed());
    expect(pages).toBe(3);

    pages = 0;
    for await (const contact of all()) if (contact.id === made[6]) break;
    expect(pages).toBe(1);
  });

  it('passes filters on to every page', async () => {
    const api = aClient();
    for (let n = 0; n < 4; n += 1)
      await api.createContact({ body: { name: `P${n}`, tags: n % 2 ? ['vip'] : [] } });

    const names: string[] = [];
    const vips = paginate((page) => api.listContacts({ query: { ...page, tag: 'vip' } }), 1);
    for await (const contact of vips) names.push(contact.name);

    expect(names).toEqual(['P3', 'P1']);
  });

  it('throws a refusal with its code, problems, request id and page', async () => {
    const refused = await aClient()
      .createContact({ body: { name: '' } })
      .catch((error: unknown) => error);

    if (!(refused instanceof ApiError)) throw new TypeError('not an ApiError');
    expect(refused).toMatchObject({ status: 422, code: 'validation' });
    expect(refused.problems).toMatchObject([{ path: 'name', rule: 'min_length' }]);
    expect(refused.requestId).toMatch(/^req_/);
    expect(refused.docUrl).toMatch(/\/docs\/errors\/validation$/);
  });

  it('tells a wrong key, a missing scope and a missing record apart', async () => {
    const { key: reader } = await aCredential(door.database, { scopes: ['contacts:read'] });
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => 'none',
        (error: ApiError) => error.code,
      );
    const path = { id: 'con_01KAH8Y3V8Q2M4N6P8R0S2T4V6' };

    expect(await codeOf(aClient('sk_live_0123456789abcdef0123456789abcdef').listContacts())).toBe(
      'unauthorized',
    );
    expect(await codeOf(aClient(reader).createContact({ body: { name: 'Ana' } }))).toBe(
      'forbidden',
    );
    expect(await codeOf(aClient().getContact({ path }))).toBe('not_found');
  });

  it('repeats a call by the key that its caller gives, and gets the first answer', async () => {
    const api = aClient();
    const headers = { 'Idempotency-Key': 'order-1' };

    const first = await api.createContact({ body: { name: 'Ana' }, headers });
    const again = await api.createContact({ body: { name: 'Ana' }, headers });

    expect(again.id).toBe(first.id);
    expect((await api.listContacts()).data).toHaveLength(1);
  });

  it('says at once that a limit was reached when waiting would take longer than it may', async () => {
    const api = createClient({ apiKey: key, baseUrl: door.api.url, maxWaitMs: 5 });
    await asSystem(door.database, (sql) =>
      sql.rows('select wms.take_request($1, 600) from generate_series(1, 600)', [keyId]),
    );

    const refused = await api.listContacts().catch((error: unknown) => error);

    expect(refused).toMatchObject({ status: 429, code: 'rate_limited' });
  });
});
