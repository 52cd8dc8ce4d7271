import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { updateContact } from '../../src/contacts/changing.ts';
import { findOrCreateByPhone, type KnownContact } from '../../src/contacts/identity/identities.ts';
import {
  noteSighting,
  recogniseSender,
  type Sender,
  WROTE_FIRST,
} from '../../src/contacts/identity/senders.ts';
import { getContact } from '../../src/contacts/service.ts';
import { announce } from '../../src/contacts/writing.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { openOwnDatabase, untilWaiting } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { auditActions, rowsOf } from '../support/rows-of.ts';

let database: Database;
let ctx: Context;

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
});

afterAll(() => database.close());

/** WhatsApp tells of a message by this person. */
const seen = (phone: string, name = 'Perfil', by: Context = ctx): Promise<KnownContact> =>
  transact(by, async (tx) => {
    const sighting = { phone, name, ...WROTE_FIRST };
    const { contact, unannounced } = await findOrCreateByPhone(tx, sighting);
    if (unannounced) await announce(tx, unannounced);
    return contact;
  });

const record = (id: string) =>
  inWorkspace(database, ctx.organizationId, (sql) => getContact({ ...ctx, sql }, id));

type Identities = Pick<Sender, 'phone' | 'waUserId'>;

const HIDDEN = { phone: null, waUserId: 'BR.123' };
const SHOWN = { phone: '+5511987660008', waUserId: 'BR.123' };

/** Whom two messages of a person meet, of which the second comes before the first is stored. */
async function meetAtOnce(
  by: Context,
  ...[one, other]: [Identities, Identities]
): Promise<{ first: string; second: string }> {
  const meet = async (tx: Context, identities: Identities): Promise<string> => {
    const sender = { ...identities, name: 'Bia', at: new Date() };
    const met = await recogniseSender(tx, sender);
    await noteSighting(tx, met, sender);
    return met.contact.id;
  };
  const { first, second } = await transact(by, async (tx) => {
    const first = await meet(tx, one);
    const second = transact(by, (tx) => meet(tx, other));
    await untilWaiting(database.app);
    return { first, second };
  });
  return { first, second: await second };
}

describe('somebody who writes to us', () => {
  it('is created once, with the phone as WhatsApp spells it, an event and an audit entry', async () => {
    const first = await seen('5511987660001', 'Ana');
    const second = await seen('5511987660001', 'Ana');

    const events = await rowsOf(ctx, "select 1 from facts where payload like '%' || $1 || '%'", [
      first.id,
    ]);
    expect(second).toEqual(first);
    expect(await auditActions(ctx, first.id)).toEqual(['contact.created']);
    expect(events).toHaveLength(1);
    expect(await record(first.id)).toMatchObject({
      name: 'Ana',
      phone: '+5511987660001',
      origin: 'direct',
      created_via: 'message',
      whatsapp_status: 'valid',
    });
  });

  it('is known without the ninth digit, and WhatsApp’s spelling is remembered, not written over', async () => {
    const contact = await aContact(ctx, { name: 'Bia', phone: '+5511987660002' });

    const recognised = await seen('551187660002');

    expect(recognised).toMatchObject({ id: contact.id, name: 'Bia' });
    expect(await record(contact.id)).toMatchObject({
      phone: '+5511987660002',
      identities: [
        { type: 'phone', value: '+5511987660002', primary: true },
        { type: 'phone', value: '+551187660002', primary: false },
      ],
    });
  });

  it.each([
    ['WhatsApp’s id', '+5511987660009', { phone: '+5511987660009', waUserId: 'BR.9' }],
    ['another spelling', '+5511987660010', { phone: '+551187660010', waUserId: null }],
  ])('counts as a change when %s is first seen, and not again', async (_, phone, writer) => {
    const { id } = await aContact(ctx, { phone });
    const changedAfterMessage = async (ms: number): Promise<number> => {
      await transact({ ...ctx, now: new Date(ctx.now.getTime() + ms) }, async (tx) => {
        const sender = { ...writer, name: '', at: tx.now };
        await noteSighting(tx, await recogniseSender(tx, sender), sender);
      });
      return Date.parse((await record(id)).updated_at) - ctx.now.getTime();
    };

    expect(await changedAfterMessage(60_000)).toBe(60_000);
    expect(await changedAfterMessage(90_000)).toBe(60_000);
  });

  it('gives a nameless contact the name of the profile, and renames nobody', async () => {
    const nameless = await aContact(ctx, { name: undefined, phone: '+5511987660003' });
    const named = await aContact(ctx, { name: 'Dona Carla', phone: '+5511987660004' });

    await seen('5511987660003', 'Caio');
    await seen('5511987660004', 'Carlinha');

    expect((await record(nameless.id)).name).toBe('Caio');
    expect((await record(named.id)).name).toBe('Dona Carla');
  });

  it('leaves a nameless contact the name that a person gives at the same moment', async () => {
    const { id } = await aContact(ctx, { name: undefined, phone: '+5511987660007' });

    const { recognised } = await transact(ctx, async (tx) => {
      await updateContact(tx, id, { name: 'Maria' });
      const recognised = seen('5511987660007', 'mari');
      await untilWaiting(database.app);
      return { recognised };
    });

    expect((await recognised).name).toBe('Maria');
    expect((await record(id)).name).toBe('Maria');
  });

  it('is one contact when the first messages come at once', async () => {
    const contexts = Array.from({ length: 6 }, () =>
      createContext({ database, wake: () => {} }, { ...ctx, request: undefined } as never),
    );

    const all = await Promise.all(contexts.map((by) => seen('5511987660005', 'Eva', by)));

    expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    const { id } = await seen('5511987660005');
    expect(await auditActions(ctx, id)).toEqual(['contact.created']);
  });

  it.each([
    ['hide their phone', HIDDEN, HIDDEN],
    ['show their phone to the first only', SHOWN, HIDDEN],
    ['show their phone to the second only', HIDDEN, SHOWN],
  ])('is one contact when they write to two numbers at once and %s', async (_, first, second) => {
    const { ctx: by } = await aWorkspace(database);

    const met = await meetAtOnce(by, first, second);

    expect(met.second).toBe(met.first);
  });

  it('stays the contact of their phone when they write without it at once', async () => {
    const { ctx: by } = await aWorkspace(database);
    const { id } = await aContact(by, { name: 'Bia', phone: SHOWN.phone });

    expect(await meetAtOnce(by, SHOWN, HIDDEN)).toEqual({ first: id, second: id });
  });

  it('is taken in although the plan allows no more contacts', async () => {
    const small = await aWorkspace(database, { plan: 'essencial' });
    await inWorkspace(database, small.workspaceId, (sql) =>
      sql.rows(
        `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
         select $1, 'con_' || i, 'import', 'api', now(), now() from generate_series(1, 5000) i`,
        [small.workspaceId],
      ),
    );

    const recognised = await seen('5511987660006', 'Fábio', small.ctx);

    expect(await auditActions(small.ctx, recognised.id)).toEqual(['contact.created']);
  });
});
