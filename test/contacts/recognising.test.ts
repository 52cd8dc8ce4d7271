import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditAll } from '../../src/audit/service.ts';
import { findOrCreateByPhone, type Recognised } from '../../src/contacts/identity/identities.ts';
import { getContact } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { type Database, inWorkspace } from '../../src/db/database.ts';
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

/** WhatsApp tells of a message by this person. */
const seen = (phone: string, name = 'Perfil', by: Context = ctx): Promise<Recognised> =>
  transact(by, async (tx) => {
    const recognised = await findOrCreateByPhone(tx, {
      phone,
      name,
      origin: 'direct',
      createdVia: 'message',
    });
    await auditAll(tx, recognised.entries);
    return recognised;
  });

const asked = <R>(text: string, params: unknown[] = []): Promise<R[]> =>
  inWorkspace(database, ctx.organizationId, (sql) => sql.rows<R>(text, params));

const record = (id: string) =>
  inWorkspace(database, ctx.organizationId, (sql) =>
    getContact({ sql, organizationId: ctx.organizationId }, id),
  );

describe('somebody who writes to us', () => {
  it('is created once, with the phone as WhatsApp spells it, an event and an audit entry', async () => {
    const first = await seen('5511987660001', 'Ana');
    const second = await seen('5511987660001', 'Ana');

    const events = await asked("select 1 from facts where payload like '%' || $1 || '%'", [
      first.contact.id,
    ]);
    expect(second.contact).toEqual(first.contact);
    expect(first.entries).toHaveLength(1);
    expect(second.entries).toEqual([]);
    expect(events).toHaveLength(1);
    expect(await record(first.contact.id)).toMatchObject({
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

    expect(recognised.contact).toMatchObject({ id: contact.id, name: 'Bia' });
    expect(await record(contact.id)).toMatchObject({
      phone: '+5511987660002',
      identities: [
        { type: 'phone', value: '+5511987660002', primary: true },
        { type: 'phone', value: '+551187660002', primary: false },
      ],
    });
  });

  it('gives a nameless contact the name of the profile, and renames nobody', async () => {
    const nameless = await aContact(ctx, { name: undefined, phone: '+5511987660003' });
    const named = await aContact(ctx, { name: 'Dona Carla', phone: '+5511987660004' });

    await seen('5511987660003', 'Caio');
    await seen('5511987660004', 'Carlinha');

    expect((await record(nameless.id)).name).toBe('Caio');
    expect((await record(named.id)).name).toBe('Dona Carla');
  });

  it('is one contact when the first messages come at once', async () => {
    const contexts = Array.from({ length: 6 }, () =>
      createContext({ database, wake: () => {} }, { ...ctx, request: undefined } as never),
    );

    const all = await Promise.all(contexts.map((by) => seen('5511987660005', 'Eva', by)));

    expect(new Set(all.map(({ contact }) => contact.id)).size).toBe(1);
    expect(all.filter(({ entries }) => entries.length > 0)).toHaveLength(1);
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

    expect(recognised.entries).toHaveLength(1);
  });
});
