import { randomInt } from 'node:crypto';
import { type ContactView, newContactBody } from '../../../src/contacts/schema.ts';
import { createContact } from '../../../src/contacts/service.ts';
import type { Context } from '../../../src/context.ts';

type Wishes = Parameters<typeof newContactBody.parse>[0] & object;

/** Mobiles of São Paulo from here on: none of the simulator's magic ones, nor of those that tests name themselves. */
const FIRST = 92_000_000;
const PHONES = 7_000_000;
let last = randomInt(PHONES);
/** Another each time, as a workspace has each phone once: of hundreds at random two would be the same now and then. */
const aPhone = (): string => {
  last = (last + 1) % PHONES;
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
