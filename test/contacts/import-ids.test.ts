import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { mergeContacts } from '../../src/contacts/merging/merging.ts';
import { getContact } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';

let database: Database;
let ctx: Context;
beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});
afterAll(() => database.close());

const the = (id: string) => transact(ctx, (tx) => getContact(tx, id));

describe('the id in a row of an import', () => {
  it('says who is changed, before the address that others have too', async () => {
    const mother = await aContact(ctx, { name: 'Mãe', phone: null, email: 'casa@example.com' });
    const son = await aContact(ctx, { name: 'Filho', phone: null, email: 'casa@example.com' });

    const rows = await importContacts(ctx, [
      { id: son.id, name: 'Filho Souza', email: 'casa@example.com', notes: 'novo' },
      { id: son.id, email: 'filho@example.com' },
    ]);

    expect(rows.map(({ outcome }) => outcome)).toEqual(['updated', 'updated']);
    expect(await the(son.id)).toMatchObject({ name: 'Filho Souza', email: 'filho@example.com' });
    expect(await the(mother.id)).toMatchObject({ name: 'Mãe', notes: '' });
  });

  it('finds who has a name alone, and whom they were merged into since', async () => {
    const alone = await aContact(ctx, { name: 'Só nome', phone: null });
    const gone = await aContact(ctx, { name: 'Ana', phone: null });
    const kept = await aContact(ctx, { name: 'Ana Souza' });
    await mergeContacts(ctx, kept.id, gone.id);

    const rows = await importContacts(ctx, [
      { id: alone.id, name: 'Só nome' },
      { id: gone.id, name: 'Ana Lima' },
    ]);

    expect(rows.map(({ outcome, contactId }) => [outcome, contactId])).toEqual([
      ['unchanged', alone.id],
      ['updated', kept.id],
    ]);
  });

  it('says nothing when it is of another workspace, or of another system', async () => {
    const elsewhere = await aWorkspace(database);
    const theirs = await aContact(elsewhere.ctx, { name: 'Alheia', phone: null });
    const ana = await aContact(ctx, { name: 'Ana' });

    const rows = await importContacts(ctx, [
      { id: theirs.id, name: 'Nossa' },
      { id: '4711', name: 'Ana Lima', phone: ana.phone },
      { id: theirs.id },
    ]);

    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'updated', 'invalid']);
    expect(rows[0]?.contactId).not.toBe(theirs.id);
    expect(rows[1]?.contactId).toBe(ana.id);
    expect(rows[2]?.problems).toMatchObject([{ path: 'name', rule: 'required' }]);
  });

  it('says nothing when it is an address that others in the file have', async () => {
    const rows = await importContacts(ctx, [
      { id: '1', name: 'Mãe', phone: '+5511984200002', email: 'lar@example.com' },
      { id: 'lar@example.com', name: 'Filho', phone: '+5511984200003' },
      { id: 'lar@example.com', name: 'Pai', email: 'pai@example.com' },
    ]);

    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(3).fill('created'));
    expect(await the(rows[0]?.contactId ?? '')).toMatchObject({ name: 'Mãe' });
  });

  it('with a phone that they do not have changes nobody', async () => {
    const ana = await aContact(ctx, { name: 'Ana' });
    const bia = await aContact(ctx, { name: 'Bia' });

    const rows = await importContacts(ctx, [
      { id: ana.id, name: 'Outra', phone: bia.phone },
      { id: ana.id, name: 'Outra', phone: '+5511984200001' },
    ]);

    expect(rows.map(({ problems }) => problems[0])).toEqual(
      Array(2).fill(expect.objectContaining({ path: 'phone', rule: 'other_phone' })),
    );
    expect([(await the(ana.id)).name, (await the(bia.id)).name]).toEqual(['Ana', 'Bia']);
  });
});
