import type { Context } from '../../context.ts';
import { advisoryLock } from '../../db/advisory-locks.ts';
import { transact } from '../../db/transact.ts';
import { lockFound } from '../person.ts';
import { contactsOf, findPerson, type Sender } from './senders.ts';

type Person = Pick<Sender, 'phone' | 'waUserId'>;

/**
 * What a person does, who may be a contact or not.
 *
 * @param contacts the ids of the contacts that they are, locked; none for a stranger, in the turn of `strangers`
 */
type Act = (tx: Context, contacts: readonly string[]) => Promise<void>;

/** Does it, in a transaction, for the contacts that the person is, otherwise for the stranger. */
export async function asPerson(ctx: Context, person: Person, act: Act): Promise<void> {
  let done: boolean;
  do done = (await asContacts(ctx, person, act)) || (await asStranger(ctx, person, act));
  while (!done);
}

const asContacts = (ctx: Context, person: Person, act: Act): Promise<boolean> =>
  transact(ctx, async (tx) => {
    const contacts = await lockFound(tx, async () => {
      const known = await findPerson(tx, person);
      return known ? contactsOf(tx, known.id, person) : [];
    });
    if (contacts.length > 0) await act(tx, contacts);
    return contacts.length > 0;
  });

/**
 * False if the person is a contact by now, made so by a transaction that the turn was waited for. Then the turn is given
 * back: others wait for it with that contact locked.
 */
const asStranger = (ctx: Context, person: Person, act: Act): Promise<boolean> =>
  transact(ctx, async (tx) => {
    await advisoryLock(tx.sql, 'strangers', tx.organizationId);
    if (await findPerson(tx, person)) return false;
    await act(tx, []);
    return true;
  });
