import { randomInt } from 'node:crypto';
import { type ContactView, newContactBody } from '../../../src/contacts/schema.ts';
import { createContact } from '../../../src/contacts/service.ts';
import type { Context } from '../../../src/context.ts';

type Wishes = Parameters<typeof newContactBody.parse>[0] & object;

/** A mobile of São Paulo that ends in seven ordinary digits, none of the simulator's magic ones. */
const FIRST = 82_000_000;
let last = randomInt(8_000_000);
/** Another each time, as a workspace has each phone once: of hundreds at random two would be the same now and then. */
const aPhone = (): string => {
  last = (last + 1) % 8_000_000;
  return `+55119${FIRST + last}`;
};

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
