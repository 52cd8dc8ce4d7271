import { beforeAll, describe, expect, it } from '@jest/globals';
import { findOrCreateByPhone } from '../../src/contacts/identity/identities.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { openApi } from '../support/api.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openApi({ routes: contactRoutes }));
const list = (query: Readonly<Record<string, string>>, by = door.key): Promise<Reply> =>
  door.api.call('GET', `/api/v1/contacts?${new URLSearchParams(query)}`, { key: by });

const ids = ({ body }: Reply): string[] => body.data.map(({ id }: { id: string }) => id);

const wrote = (phone: string): Promise<{ id: string }> =>
  transact(door.ctx, async (tx) => {
    const sighting = { phone, name: '', origin: 'direct', createdVia: 'message' } as const;
    return (await findOrCreateByPhone(tx, sighting)).contact;
  });

describe('a search by phone', () => {
  let eight: string;
  let nine: string;
  let twice: string;
  beforeAll(async () => {
    eight = (await wrote('553187654321')).id;
    nine = (await aContact(door.ctx, { phone: '+5521998765432' })).id;
    twice = (await aContact(door.ctx, { phone: '+5541999990001' })).id;
    const goes = await aContact(door.ctx, { phone: '+4915112345678' });
    await mergeContacts(door.ctx, twice, goes.id);
  });

  it.each<[string, string, () => string]>([
    ['with the ninth digit that WhatsApp leaves out', '+55 31 98765-4321', () => eight],
    ['so, as people in the country write it', '31 98765-4321', () => eight],
    ['so, without the +', '5531987654321', () => eight],
    ['without it', '(31) 8765-4321', () => eight],
    ['without the ninth digit that it has here', '+55 21 9876-5432', () => nine],
    ['by a second phone', '+49 1511 2345678', () => twice],
    ['as WhatsApp Web copies it', '\u202a+55 21 99876\u20115432\u202c', () => nine],
    ['by a part that was copied so', '\u20689876\u20115432\u2069', () => nine],
    ['by a part of it', '8765-4321', () => eight],
  ])('finds a contact %s', async (_, q, id) => {
    expect(ids(await list({ q }))).toEqual([id()]);
  });

  it('takes marks for nothing in the filter of phones too', async () => {
    expect(ids(await list({ phone: '\u202a+55 21 99876\u20115432\u202c' }))).toEqual([nine]);
  });

  it('reads a phone in the country of the workspace', async () => {
    const there = await aWorkspace(door.database);
    await transact(there.ctx, ({ sql }) => sql.rows(`update workspaces set language = 'en-US'`));
    const by = (await anApiKey(there.ctx)).key;
    const stays = await aContact(there.ctx, { phone: '+14155552672' });
    const goes = await aContact(there.ctx, { phone: '+14155552671' });
    await mergeContacts(there.ctx, stays.id, goes.id);

    expect(ids(await list({ q: '(415) 555-2671' }, by))).toEqual([stays.id]);
    expect(ids(await list({ q: '(415) 555-2671' }))).toEqual([]);
    await transact(there.ctx, ({ sql }) => sql.rows(`update workspaces set language = 'en'`));
    expect(ids(await list({ q: '(415) 555-2671' }, by))).toEqual([]);
    expect(ids(await list({ q: '+1 (415) 555-2671' }, by))).toEqual([stays.id]);
  });

  it('keeps to the other filters, and to the workspace', async () => {
    const other = await aWorkspace(door.database);
    const by = (await anApiKey(other.ctx)).key;
    const q = '+55 31 98765-4321';

    expect(ids(await list({ q, origin: 'direct' }))).toEqual([eight]);
    expect(ids(await list({ q, origin: 'import' }))).toEqual([]);
    expect(ids(await list({ q }, by))).toEqual([]);
  });

  it('gives each once, in the order of the list, whatever the pages', async () => {
    const q = '+55 51 98111-2222';
    const named = [await aContact(door.ctx, { name: '+5551981112222' })];
    const owner = await wrote('555181112222');
    for (let i = 0; i < 2; i += 1) named.push(await aContact(door.ctx, { name: '+5551981112222' }));
    const [first = '', ...others] = named.map(({ id }) => id);
    const whole = [...others.toReversed(), owner.id, first];

    for (const limit of ['1', '2', '3', '4']) {
      const seen: string[] = [];
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: Reply = await list({ q, limit, ...(cursor ? { cursor } : {}) });
        seen.push(...ids(page));
        cursor = page.body.next_cursor;
      }
      expect(seen).toEqual(whole);
    }
  });
});
