import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import type { Context } from '../../src/context.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';

let door: OpenDoor;
let ctx: Context;
let key: string;

beforeAll(async () => {
  door = await openDoor({ routes: contactRoutes });
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
});

afterAll(() => door.close());

const call = (method: string, path: string, body?: unknown): Promise<Reply> =>
  door.api.call(method, `/api/v1/contacts${path}`, { key, body });

describe('a birthday', () => {
  it('stays without its year when it is sent back as it was read', async () => {
    const phone = '+5511987651019';
    const { id } = await aContact(ctx, {
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
    await importContacts(ctx, [{ phone, birth_date: '1904-05-01' }]);
    expect(await birthday({})).toEqual(['1904-05-01', false]);
    const known = { birth_date: '1904-05-01', birth_year_known: true };
    expect(await birthday(known)).toEqual(['1904-05-01', true]);
    expect(await birthday({ birth_date: '1990-05-01' })).toEqual(['1990-05-01', true]);
  });
});
