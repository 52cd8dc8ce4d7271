import { argon2Sync } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { listMembers } from '../../src/members/reading.ts';
import { addMember } from '../../src/members/service.ts';
import { hashPassword } from '../../src/people/passwords.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const database = opened(openOwnDatabase);

describe('adding a member', () => {
  it('finds teams by name in any case, creates the missing ones, and lists newest first', async () => {
    const { ctx } = await aWorkspace(database);
    await addMember(ctx, {
      email: 'bia@example.com',
      name: 'Bia',
      role: 'agent',
      teams: ['Vendas'],
    });

    await addMember(ctx, {
      email: 'caio@example.com',
      name: 'Caio',
      role: 'viewer',
      visibility: 'teams',
      teams: ['VENDAS', 'Suporte', 'suporte'],
      password: 'uma senha comprida',
    });

    const { data: members } = await transact(ctx, (tx) =>
      listMembers(tx, { limit: 10, after: null }),
    );
    const teams = await rowsOf<{ id: string; name: string }>(ctx, 'select id, name from teams');
    expect(teams.map(({ name }) => name).sort()).toEqual(['Suporte', 'Vendas']);
    expect(members.map(({ name, role, seat, status }) => [name, role, seat, status])).toEqual([
      ['Caio', 'viewer', false, 'active'],
      ['Bia', 'agent', true, 'invited'],
      [expect.stringContaining('dona'), 'owner', true, 'invited'],
    ]);
    expect([...(members[0]?.team_ids ?? [])].sort()).toEqual(teams.map(({ id }) => id).sort());
  });

  it('refuses an e-mail address that a member has, in any case', async () => {
    const { ctx } = await aWorkspace(database);
    const bia = await addMember(ctx, { email: 'bia@example.com', name: 'Bia', role: 'agent' });

    const again = addMember(ctx, { email: 'BIA@example.com', name: 'Outra', role: 'agent' });

    await expect(again).rejects.toMatchObject({
      code: 'duplicate',
      details: { member_id: bia.id },
    });
  });

  it('lets nobody in who has an account: they keep their password, and come in by accepting', async () => {
    const here = await aWorkspace(database);
    const there = await aWorkspace(database);
    const ana = { email: 'ana@example.com', name: 'Ana', role: 'agent' } as const;
    const first = await addMember(here.ctx, { ...ana, password: 'uma senha comprida' });

    const second = await addMember(there.ctx, { ...ana, password: 'a senha de outra pessoa' });

    expect(second.userId).toBe(first.userId);
    expect([first.status, second.status, second.joinedAt]).toEqual(['active', 'invited', null]);
  });

  it('lets in who has no password yet, though another workspace invited them', async () => {
    const here = await aWorkspace(database);
    const there = await aWorkspace(database);
    const rui = { email: 'rui@example.com', name: 'Rui', role: 'agent' } as const;
    const invited = await addMember(here.ctx, rui);

    const { status } = await addMember(there.ctx, { ...rui, password: 'uma senha comprida' });

    expect([invited.status, status]).toEqual(['invited', 'active']);
  });

  it('takes a seat of the plan, except for a Viewer', async () => {
    const { ctx } = await aWorkspace(database, { plan: 'essencial' });
    const add = (n: number, role: 'agent' | 'viewer') =>
      addMember(ctx, { email: `m${n}@example.com`, name: `M${n}`, role });
    await add(1, 'agent');
    await add(2, 'agent');

    await expect(add(3, 'agent')).rejects.toMatchObject({
      code: 'quota',
      details: { limit: 3, used: 3, plan: 'essencial' },
    });
    await expect(add(4, 'viewer')).resolves.toMatchObject({ role: 'viewer' });
  });

  it('keeps passwords out of the audit log, and adds nobody when one is too short', async () => {
    const { ctx } = await aWorkspace(database);

    await addMember(ctx, {
      email: 'a@example.com',
      name: 'A',
      role: 'admin',
      password: 'segredo bem guardado',
    });
    const short = addMember(ctx, {
      email: 'b@example.com',
      name: 'B',
      role: 'admin',
      password: 'curta',
    });

    await expect(short).rejects.toMatchObject({ code: 'validation' });
    const log = JSON.stringify(await rowsOf(ctx, 'select * from audit_entries'));
    expect(log).toContain('member.added');
    expect(log).not.toMatch(/segredo|argon2/);
    expect(await rowsOf(ctx, "select 1 from members where email = 'b@example.com'")).toEqual([]);
  });
});

describe('a stored password', () => {
  it('leaves threads of the process to others while many are hashed', async () => {
    let hashed = 0;
    const all = Array.from({ length: 12 }, () =>
      hashPassword('correct horse').then(() => {
        hashed += 1;
      }),
    );

    await stat(import.meta.filename);
    const before = hashed;
    await Promise.all(all);

    expect([before <= 4, hashed]).toEqual([true, 12]);
  });

  it('is Argon2id of 19 MiB and two passes, under a salt of its own', async () => {
    const [one, other] = await Promise.all([
      hashPassword('correct horse'),
      hashPassword('correct horse'),
    ]);

    const [, kind, version, parameters, salt, hash] = one.split('$');
    const again = argon2Sync('argon2id', {
      message: 'correct horse',
      nonce: Buffer.from(salt ?? '', 'base64'),
      parallelism: 1,
      tagLength: 32,
      memory: 19_456,
      passes: 2,
    });
    expect([kind, version, parameters]).toEqual(['argon2id', 'v=19', 'm=19456,t=2,p=1']);
    expect(again.equals(Buffer.from(hash ?? '', 'base64'))).toBe(true);
    expect(other).not.toBe(one);
  });
});
