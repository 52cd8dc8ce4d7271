import { randomInt } from 'node:crypto';
import { type ContactView, newContactBody } from '../../../src/contacts/schema.ts';
import { createContact } from '../../../src/contacts/service.ts';
import type { Context } from '../../../src/context.ts';

type Wishes = Parameters<typeof newContactBody.parse>[0] & object;

/** A mobile of São Paulo that ends in seven ordinary digits, none of the simulator's magic ones. */
const aPhone = (): string => `+55119${randomInt(8_2000_000, 9_0000_000)}`;

/** A contact with a phone of its own; wishes are the body of `POST /v1/contacts`. */
export const aContact = (ctx: Context, wishes: Wishes = {}): Promise<ContactView> =>
  createContact(ctx, newContactBody.parse({ name: 'Ana Souza', phone: aPhone(), ...wishes }));

/** So many contacts, named and numbered in order. */
export async function someContacts(ctx: Context, count: number): Promise<ContactView[]> {
  const contacts: ContactView[] = [];
  for (let i = 1; i <= count; i++) {
    const phone = `+5511982${String(i).padStart(6, '0')}`;
    contacts.push(await aContact(ctx, { name: `Cliente ${i}`, phone }));
  }
  return contacts;
}
