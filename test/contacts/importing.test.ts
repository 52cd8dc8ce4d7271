import { describe, expect, it } from '@jest/globals';
import { verifyChain } from '../../src/audit/verify.ts';
import { type ImportRow, importContacts } from '../../src/contacts/imports/rows.ts';
import { createContact, getContact, updateContact } from '../../src/contacts/service.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

const theContact = (ctx: Context, id: string | null | undefined) =>
  inWorkspace(database, ctx.organizationId, (sql) => getContact({ ...ctx, sql }, id ?? ''));

const outcomes = async (ctx: Context, rows: ImportRow[]): Promise<string[]> =>
  (await importContacts(ctx, rows)).map(({ outcome }) => outcome);

const manyRows = (count: number): ImportRow[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `Pessoa ${i}`,
    phone: `+5511983${String(i).padStart(6, '0')}`,
    email: '',
  }));

describe('importing contacts', () => {
  it('creates everyone once, with an event and an audit entry each, and wakes the relay', async () => {
    let woken = 0;
    const { ctx } = await aWorkspace(database, {
      wake: () => {
        woken += 1;
      },
    });
    const progress: number[] = [];

    const rows = await importContacts(ctx, manyRows(1_200), (done) => progress.push(done));

    const [seen] = await rowsOf<Record<string, number>>(
      ctx,
      `select (select count(*) from contacts where origin = 'import' and created_via = 'import') as contacts,
         (select count(*) from contact_identities where is_primary) as identities,
         (select count(*) from facts where type = 'contact.created') as facts,
         (select count(*) from audit_entries where action = 'contact.created') as entries`,
    );
    const chain = await inWorkspace(database, ctx.organizationId, (sql) =>
      verifyChain({ sql, organizationId: ctx.organizationId }),
    );
    expect(new Set(rows.map(({ outcome }) => outcome))).toEqual(new Set(['created']));
    expect(seen).toEqual({ contacts: 1200, identities: 1200, facts: 1200, entries: 1200 });
    expect(progress).toEqual([500, 1000, 1200]);
    expect(woken).toBe(3);
    expect(chain.brokenAt).toBeNull();
  });

  it('changes nothing when the same file comes again, in another spelling of the phones', async () => {
    const { ctx } = await aWorkspace(database);
    const first = await importContacts(ctx, [
      { name: 'Ana', phone: '+5511987650001', tags: ['vip'] },
      { name: 'Só e-mail', email: 'So@Example.com' },
    ]);

    const again = await importContacts(ctx, [
      { name: 'Ana', phone: '+55 11 8765-0001', tags: ['VIP'] },
      { email: 'so@example.com', name: 'Só e-mail' },
    ]);

    expect(again.map(({ outcome }) => outcome)).toEqual(['unchanged', 'unchanged']);
    expect(again.map(({ contactId }) => contactId)).toEqual(first.map((row) => row.contactId));
    expect((await theContact(ctx, first[0]?.contactId)).phone).toBe('+5511987650001');
  });

  it('adds tags and custom fields to a person, and leaves what the row leaves out', async () => {
    const { ctx } = await aWorkspace(database);
    const ana = await aContact(ctx, {
      name: 'Ana',
      phone: '+5511987650002',
      email: 'ana@example.com',
      tags: ['VIP'],
      custom: { city: 'Santos' },
    });

    const rows = await importContacts(ctx, [
      { name: '', phone: '+5511987650002', tags: ['vip', 'novo'], custom: { size: 'M' } },
    ]);

    expect(rows[0]).toEqual({ outcome: 'updated', contactId: ana.id, problems: [] });
    expect(await theContact(ctx, ana.id)).toMatchObject({
      name: 'Ana',
      email: 'ana@example.com',
      tags: ['VIP', 'novo'],
      custom: { city: 'Santos', size: 'M' },
    });
  });

  it('merges the rows of one person within a file', async () => {
    const { ctx } = await aWorkspace(database);

    const rows = await importContacts(ctx, [
      { name: 'Ana', phone: '+5511987650003' },
      { name: 'Ana Maria', phone: '+551187650003' },
      { phone: '+5511987650003' },
    ]);

    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'updated', 'unchanged']);
    expect((await theContact(ctx, rows[0]?.contactId)).name).toBe('Ana Maria');
    expect(await rowsOf(ctx, 'select 1 from contacts')).toHaveLength(1);
  });

  it('says of each invalid row what is wrong, and takes the others', async () => {
    const { ctx } = await aWorkspace(database);

    const rows = await importContacts(ctx, [
      { name: 'Sem país', phone: '11 98765-4321' },
      { name: '', phone: '', email: '' },
      { name: 'Boa', phone: '+5511987650004' },
      { name: 'Amanhã', birth_date: '2999-01-01' },
      { name: 'Nulo \u0000' },
    ]);

    expect(rows.map(({ outcome, problems }) => [outcome, problems[0]?.path])).toEqual([
      ['invalid', 'phone'],
      ['invalid', 'name'],
      ['created', undefined],
      ['invalid', 'birth_date'],
      ['invalid', 'name'],
    ]);
  });

  it('refuses a row that would fill a person beyond the limits or with no key, and leaves the person as they were', async () => {
    const { ctx } = await aWorkspace(database);
    const tags = Array.from({ length: 49 }, (_, i) => `tag ${i}`);
    const custom = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`key_${i}`, 'x']));
    const { id } = await aContact(ctx, { phone: '+5511983900001', tags });
    const other = await aContact(ctx, { phone: '+5511983900002', custom });

    const rows = await importContacts(ctx, [
      { phone: '+5511983900001', tags: ['um', 'dois'] },
      { phone: '+5511983900002', custom: { one_more: 'x' } },
      { phone: '+5511983900001', custom: JSON.parse('{"__proto__":"x"}') },
      { phone: '+5511983900001', tags: ['um'] },
    ]);

    expect(rows.map(({ outcome, problems }) => [outcome, problems[0]?.path])).toEqual([
      ['invalid', 'tags'],
      ['invalid', 'custom'],
      ['invalid', 'custom.__proto__'],
      ['updated', undefined],
    ]);
    expect((await theContact(ctx, id)).tags).toEqual([...tags, 'um']);
    expect((await theContact(ctx, other.id)).custom).toEqual(custom);
  });

  it('never clears an opt-out', async () => {
    const { ctx } = await aWorkspace(database);
    const person = await aContact(ctx, { name: 'Quieta', phone: '+5511987650005' });
    await rowsOf(ctx, 'update contacts set opted_out = true');

    await importContacts(ctx, [{ name: 'Outra', phone: '+551187650005' }]);

    expect(await theContact(ctx, person.id)).toMatchObject({ name: 'Outra', opted_out: true });
  });

  it('takes as many as the plan allows, and says so of the rest', async () => {
    const { ctx } = await aWorkspace(database, { plan: 'essencial' });
    await rowsOf(
      ctx,
      `insert into contacts (organization_id, id, origin, created_via, created_at, updated_at)
       select wms.organization(), 'con_' || i, 'import', 'api', now(), now() from generate_series(1, 4998) i`,
    );

    expect(await outcomes(ctx, manyRows(4))).toEqual(['created', 'created', 'invalid', 'invalid']);
    expect(await outcomes(ctx, manyRows(2))).toEqual(['unchanged', 'unchanged']);
  });

  it('creates each person once when one file is imported twice at once', async () => {
    const { ctx } = await aWorkspace(database);
    const other: Context = { ...ctx, em: ctx.em.fork() };
    other.em.setFilterParams('tenant', { organizationId: ctx.organizationId });

    const both = await Promise.all([outcomes(ctx, manyRows(700)), outcomes(other, manyRows(700))]);

    const counts = both.flat().reduce<Record<string, number>>((tally, outcome) => {
      tally[outcome] = (tally[outcome] ?? 0) + 1;
      return tally;
    }, {});
    expect(counts).toEqual({ created: 700, unchanged: 700 });
  });
});

describe('a birthday', () => {
  it.each([
    ['America/Sao_Paulo', '2026-11-20', '2026-11-21'],
    ['Pacific/Kiritimati', '2026-11-21', '2026-11-22'],
  ])('is at the latest today in %s, however the contact is written', async (zone, today, next) => {
    const made = await aWorkspace(database, { now: new Date('2026-11-21T01:00:00Z') });
    await inWorkspace(database, made.workspaceId, (sql) =>
      sql.rows('update workspaces set time_zone = $1', [zone]),
    );
    const late = { code: 'validation', details: [{ path: 'birth_date', rule: 'range' }] };

    const { id } = await createContact(made.ctx, { name: 'Nina', birth_date: today });
    await updateContact(made.ctx, id, { birth_date: '2020-01-01' });
    await updateContact(made.ctx, id, { birth_date: today });
    const rows = await importContacts(
      made.ctx,
      [today, next].map((birth_date, i) => ({ phone: `+551198765432${i}`, birth_date })),
    );

    expect(rows.map(({ outcome }) => outcome)).toEqual(['created', 'invalid']);
    await expect(updateContact(made.ctx, id, { birth_date: next })).rejects.toMatchObject(late);
    await expect(createContact(made.ctx, { name: 'X', birth_date: next })).rejects.toMatchObject(
      late,
    );
  });
});
