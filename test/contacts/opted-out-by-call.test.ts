import { describe, expect, it } from '@jest/globals';
import { deleteContact } from '../../src/contacts/deleting.ts';
import { optOut } from '../../src/contacts/opt-outs/opting-out.ts';
import { contactRoutes } from '../../src/contacts/routes.ts';
import { transact } from '../../src/db/transact.ts';
import { openApi } from '../support/api.ts';
import { aContact } from '../support/factories/contacts.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openApi({ routes: contactRoutes }));

const patch = (id: string, body: object) => door.call('PATCH', `/contacts/${id}`, body);
const get = async (id: string) => (await door.call('GET', `/contacts/${id}`)).body;

const logged = (id: string): Promise<{ action: string; changes: unknown }[]> =>
  rowsOf(
    door.ctx,
    `select action, changes from audit_entries
     where target ->> 'id' = $1 and action <> 'contact.created' order by seq`,
    [id],
  );

describe('an opt-out that a call notes', () => {
  it('is noted beside what else changes, is written down, and holds for the phone', async () => {
    const { id, phone } = await aContact(door.ctx, { phone: '+5511984200001' });

    const noted = await patch(id, { opted_out: true, notes: 'Pediu por telefone' });
    const { opted_out_at } = await get(id);
    const again = await patch(id, { opted_out: true });

    expect([noted.status, again.status]).toEqual([200, 200]);
    expect(await get(id)).toMatchObject({
      opted_out: true,
      opted_out_at,
      opt_out_source: 'api',
      notes: 'Pediu por telefone',
    });
    expect((await logged(id)).map(({ action }) => action)).toEqual([
      'contact.updated',
      'contact.opted_out',
    ]);
    expect((await logged(id))[1]?.changes).toEqual([
      { field: 'opted_out', from: false, to: true },
      { field: 'source', from: null, to: 'api' },
    ]);
    await deleteContact(door.ctx, id, []);
    const back = await door.call('POST', '/contacts', { phone });
    expect(back.body).toMatchObject({ opted_out: true, opt_out_source: 'api' });
  });

  it('stands above the switch in WhatsApp, and below what the person wrote', async () => {
    const switched = await aContact(door.ctx);
    const wrote = await aContact(door.ctx);
    await transact(door.ctx, async (tx) => {
      await optOut(tx, switched.id, { source: 'whatsapp', messageId: null });
      await optOut(tx, wrote.id, { source: 'message', messageId: null });
    });

    await patch(switched.id, { opted_out: true });
    await patch(wrote.id, { opted_out: true });

    expect((await get(switched.id)).opt_out_source).toBe('api');
    expect((await get(wrote.id)).opt_out_source).toBe('message');
  });

  it('is not taken back by a call, which hears who can', async () => {
    const { id } = await aContact(door.ctx);
    await patch(id, { opted_out: true });

    const back = await patch(id, { opted_out: false, name: 'Outra' });

    expect(back.status).toBe(422);
    expect(back.body.error.details).toEqual([
      {
        path: 'opted_out',
        rule: 'opt_in',
        message: expect.stringContaining("the person's own words"),
      },
    ]);
    expect(await get(id)).toMatchObject({
      opted_out: true,
      name: expect.not.stringMatching('Outra'),
    });
  });
});
