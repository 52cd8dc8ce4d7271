import { describe, expect, it } from '@jest/globals';
import { UniqueConstraintViolationException } from '@mikro-orm/postgresql';
import pg from 'pg';
import { system } from '../../src/access/actor.ts';
import { changesBetween } from '../../src/audit/rules.ts';
import { audit } from '../../src/audit/service.ts';
import { verifyChain } from '../../src/audit/verify.ts';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { Team } from '../../src/members/entities.ts';
import { addTeam } from '../../src/members/teams.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aContact, someContacts } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

const chainOf = ({ organizationId }: Context) =>
  inWorkspace(database, organizationId, (sql) => verifyChain({ sql, organizationId }));

/** As somebody who got hold of the owner's password: with the second lock and the grants out of the way. */
async function asOwner(text: string, params: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('alter table audit_entries no force row level security');
    const { rowCount } = await client.query(text, params);
    expect(rowCount).toBe(1);
    await client.query('alter table audit_entries force row level security');
    await client.query('commit');
  } finally {
    await client.end();
  }
}

describe('the audit log', () => {
  it.each([
    ['update', "update audit_entries set action = 'x.y'"],
    ['delete', 'delete from audit_entries'],
    ['truncate', 'truncate audit_entries'],
    ['delete the head of', 'delete from audit_heads'],
  ])('gives the service no right to %s it', async (_what, statement) => {
    const { ctx } = await aWorkspace(database);

    await expect(rowsOf(ctx, statement)).rejects.toMatchObject({ code: '42501' });
  });

  it('keeps nothing of a change that is rolled back', async () => {
    const { ctx } = await aWorkspace(database);
    const before = await chainOf(ctx);

    const failing = transact(ctx, async (tx) => {
      await audit(tx, { action: 'test.done', target: { type: 'test', id: 't', name: '' } });
      throw new RangeError('no');
    });

    await expect(failing).rejects.toThrow('no');
    expect(await chainOf(ctx)).toEqual(before);
  });

  it('has what one transaction did in its order, whoever did it, without what a savepoint undid', async () => {
    const { ctx } = await aWorkspace(database);
    const did = (tx: Context, id: string) =>
      audit(tx, { action: 'test.done', target: { type: 'test', id, name: '' } });

    const { organizationId, name } = await addTeam(ctx, 'Vendas');
    const named = { organizationId, name };

    await transact(ctx, async (tx) => {
      await did(tx, 'first');
      await transact(tx, (inner) => did(inner, 'in a savepoint'));
      const undone = transact(tx, async (inner) => {
        await did(inner, 'undone');
        throw new RangeError('no');
      });
      await expect(undone).rejects.toThrow('no');
      const undoneLate = transact(tx, async (inner) => {
        await did(inner, 'undone when it is flushed');
        const team = { id: newId('team'), autoAssign: false, returnAfterMinutes: null };
        inner.em.create(Team, { ...team, ...named, createdAt: inner.now });
      });
      await expect(undoneLate).rejects.toThrow(UniqueConstraintViolationException);
      await did({ ...tx, actor: system('another'), now: new Date(0) }, 'last');
    });

    const entries = await rowsOf(
      ctx,
      `select target ->> 'id' as id, actor ->> 'name' as by, created_at as at from audit_entries
       where action = 'test.done' order by seq`,
    );
    expect(entries).toEqual([
      { id: 'first', by: 'tests', at: ctx.now },
      { id: 'in a savepoint', by: 'tests', at: ctx.now },
      { id: 'last', by: 'another', at: new Date(0) },
    ]);
    expect((await chainOf(ctx)).brokenAt).toBeNull();
  });

  it('loses nothing of a transaction that is entered without its context: that is refused', async () => {
    const { ctx } = await aWorkspace(database);

    const astray = transact(ctx, ({ em }) =>
      transact({ ...ctx, em }, (tx) =>
        audit(tx, { action: 'test.done', target: { type: 'test', id: 't', name: '' } }),
      ),
    );

    await expect(astray).rejects.toThrow('transact');
  });

  it('is one unbroken chain, however many write to it at once', async () => {
    const { ctx } = await aWorkspace(database);
    const before = await chainOf(ctx);

    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        inWorkspace(database, ctx.organizationId, (sql) =>
          audit(
            { ...ctx, sql, actor: system(`writer ${i}`) },
            { action: 'test.done', target: { type: 'test', id: String(i), name: '' } },
          ),
        ),
      ),
    );

    expect(await chainOf(ctx)).toEqual({ entries: before.entries + 20, brokenAt: null });
  });

  it('is verified as a whole, however long it is', async () => {
    const { ctx } = await aWorkspace(database);
    const before = await chainOf(ctx);

    await transact(ctx, async (tx) => {
      for (let n = 0; n < 1_000; n += 1)
        await audit(tx, {
          action: 'test.done',
          target: { type: 'test', id: String(n), name: '' },
        });
    });

    expect(await chainOf(ctx)).toEqual({ entries: before.entries + 1_000, brokenAt: null });
  });

  it.each([
    ['changed', "update audit_entries set changes = '[]' where organization_id = $1 and seq = $2"],
    [
      'given to another',
      `update audit_entries set actor = '{}' where organization_id = $1 and seq = $2`,
    ],
    [
      'moved in time',
      "update audit_entries set created_at = created_at - interval '1 day' where organization_id = $1 and seq = $2",
    ],
    ['taken out', 'delete from audit_entries where organization_id = $1 and seq = $2'],
  ])('shows where an entry was %s behind its back', async (_how, statement) => {
    const { ctx } = await aWorkspace(database);
    await someContacts(ctx, 3);
    const { entries, brokenAt } = await chainOf(ctx);

    await asOwner(statement, [ctx.organizationId, 3]);

    expect(entries).toBeGreaterThan(3);
    expect(brokenAt).toBeNull();
    expect(await chainOf(ctx)).toEqual({ entries: 2, brokenAt: 3 });
  });

  it('notices that its last entry is gone', async () => {
    const { ctx } = await aWorkspace(database);
    await aContact(ctx);
    const { entries } = await chainOf(ctx);

    await asOwner('delete from audit_entries where organization_id = $1 and seq = $2', [
      ctx.organizationId,
      entries,
    ]);

    expect(await chainOf(ctx)).toEqual({ entries: entries - 1, brokenAt: entries });
  });

  it('says that a secret changed, never what it was', async () => {
    const { ctx } = await aWorkspace(database);

    await transact(ctx, (tx) =>
      audit(tx, {
        action: 'test.done',
        target: { type: 'test', id: 't', name: '' },
        changes: [
          { field: 'secret', from: null, to: 'whsec_abc' },
          { field: 'text', from: 'Oi', to: 'Olá' },
          { field: 'name', from: 'a', to: 'b' },
        ],
      }),
    );

    const [entry] = await rowsOf<{ changes: unknown }>(
      ctx,
      "select changes from audit_entries where action = 'test.done'",
    );
    expect(entry?.changes).toEqual([
      { field: 'secret', from: null, to: '[hidden]' },
      { field: 'text', from: '[hidden]', to: '[hidden]' },
      { field: 'name', from: 'a', to: 'b' },
    ]);
  });

  it('is each workspace’s own', async () => {
    const one = await aWorkspace(database);
    const other = await aWorkspace(database);

    const foreign = await rowsOf(
      one.ctx,
      'select 1 from audit_entries where organization_id = $1',
      [other.workspaceId],
    );

    expect(foreign).toEqual([]);
  });
});

describe('the changes of an entry', () => {
  it('are the fields that differ, and no field that was left out', () => {
    const before = { name: 'a', phone: null, tags: ['x'] };

    const changes = changesBetween(before, {
      name: 'a',
      phone: '+1',
      tags: ['y'],
      email: undefined,
    });

    expect(changes).toEqual([
      { field: 'phone', from: null, to: '+1' },
      { field: 'tags', from: ['x'], to: ['y'] },
    ]);
  });
});
