import { describe, expect, it } from '@jest/globals';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { createContact } from '../../src/contacts/service.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';

const database = opened(openOwnDatabase);

describe("an import's row without a phone", () => {
  it('finds whoever has the address also where they have a phone, but first somebody without one', async () => {
    const { ctx } = await aWorkspace(database);
    const ana = await aContact(ctx, { phone: '+5511987650101', email: 'Ana@example.com' });
    await aContact(ctx, { phone: '+5511987650102', email: 'ana@example.com' });
    await aContact(ctx, { phone: '+5511987650103', email: 'bia@example.com' });
    const bia = await createContact(ctx, { name: 'Bia', email: 'bia@example.com' });

    const found = await importContacts(ctx, [
      { name: 'Ana Souza', email: 'ana@example.com' },
      { name: 'Bia Lima', email: 'bia@example.com' },
    ]);

    expect(found.map(({ contactId }) => contactId)).toEqual([ana.id, bia.id]);
  });

  it('finds whoever an earlier row gave the address, as it would in a later batch', async () => {
    const { ctx } = await aWorkspace(database);
    const known = await aContact(ctx, { phone: '+5511987650106' });

    const found = await importContacts(ctx, [
      { name: 'Ana', phone: '+5511987650104', email: 'Ana@example.com' },
      { name: 'Outra Ana', phone: '+5511987650105', email: 'ana@example.com' },
      { name: 'Ana Souza', email: 'ana@example.com' },
      { phone: '+5511987650106', email: 'bia@example.com' },
      { name: 'Bia', email: 'bia@example.com' },
    ]);

    const [ana, other, again, ...bia] = found.map(({ contactId }) => contactId);
    expect(again).toBe(ana);
    expect(other).not.toBe(ana);
    expect(bia).toEqual([known.id, known.id]);
  });
});
