import { describe, expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/changing.ts';
import { noteSighting, recogniseSender } from '../../src/contacts/identity/senders.ts';
import { createContact } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { transact } from '../../src/db/transact.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

const PHONE = '+5511987660002';

/** Somebody whom WhatsApp's id tells writes from a phone. @returns their contact */
const writes = (ctx: Context, phone: string): Promise<string> =>
  transact(ctx, async (tx) => {
    const sender = { phone, waUserId: 'BR.123', name: 'Bia', at: new Date() };
    const met = await recogniseSender(tx, sender);
    await noteSighting(tx, met, sender);
    return met.contact.id;
  });

/** What is there before somebody else gets the phone, and how they do. */
type Getting = (ctx: Context) => Promise<(as: Context) => Promise<unknown>>;

const created: Getting = async () => (as) => createContact(as, { phone: PHONE });

const changed: Getting = async (ctx) => {
  const { id } = await aContact(ctx, { phone: '+5511987660003' });
  return (as) => updateContact(as, id, { phone: PHONE });
};

/** Does `first`, and before it is committed the other one begins. */
async function atOnce(
  ctx: Context,
  first: (tx: Context) => Promise<unknown>,
  other: (as: Context) => Promise<unknown>,
): Promise<unknown> {
  const { ends } = await transact(ctx, async (tx) => {
    await first(tx);
    const ends = other({ ...ctx, em: ctx.em.fork() }).catch((error: unknown) => error);
    await untilWaiting(database.app);
    return { ends };
  });
  return ends;
}

/** The contacts that are known by the phone, in any spelling. */
const OWNERS = `
select id from contacts where phone = $1
union select contact_id from contact_identities where type = 'phone' and value in ($1, $2)`;

const ownersOf = async (ctx: Context): Promise<string[]> =>
  (await rowsOf<{ id: string }>(ctx, OWNERS, [PHONE, '+551187660002'])).map(({ id }) => id);

describe.each([
  ['created with', created],
  ['given', changed],
])('a contact is %s the phone from which another one just writes', (_, getting) => {
  it('has it alone if it was first', async () => {
    const { ctx } = await aWorkspace(database);
    const writer = await writes(ctx, '+5511987660001');
    const get = await getting(ctx);

    await atOnce(ctx, get, (as) => writes(as, PHONE));

    const owners = await ownersOf(ctx);
    expect(owners).toHaveLength(1);
    expect(owners).not.toContain(writer);
  });

  it('is refused it if the other one was first', async () => {
    const { ctx } = await aWorkspace(database);
    const writer = await writes(ctx, '+5511987660001');
    const get = await getting(ctx);

    const answer = await atOnce(ctx, (tx) => writes(tx, PHONE), get);

    expect(answer).toMatchObject({ code: 'duplicate', details: { contact_id: writer } });
    expect(await ownersOf(ctx)).toEqual([writer]);
  });
});
