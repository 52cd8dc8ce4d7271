import { describe, expect, it } from '@jest/globals';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import type { Reply } from '../support/http.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openApi({ routes: contactRoutes }));
const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.call(method, `/contacts${path}`, body);

describe('a birthday', () => {
  it('stays without its year when it is sent back as it was read', async () => {
    const phone = '+5511987651019';
    const { id } = await aContact(door.ctx, {
      phone,
      birth_date: '1990-05-01',
      birth_year_known: false,
    });
    const birthday = async (patch: object): Promise<unknown[]> => {
      await call('PATCH', `/${id}`, patch);
      const { birth_date, birth_year_known } = (await call('GET', `/${id}`)).body;
      return [birth_date, birth_year_known];
    };

    expect(await birthday({ birth_date: '1904-05-01' })).toEqual(['1904-05-01', false]);
    expect(await birthday({ birth_date: '1904-06-02' })).toEqual(['1904-06-02', false]);
    await importContacts(door.ctx, [{ phone, birth_date: '1904-05-01' }]);
    expect(await birthday({})).toEqual(['1904-05-01', false]);
    const known = { birth_date: '1904-05-01', birth_year_known: true };
    expect(await birthday(known)).toEqual(['1904-05-01', true]);
    expect(await birthday({ birth_date: '1990-05-01' })).toEqual(['1990-05-01', true]);
  });
});
