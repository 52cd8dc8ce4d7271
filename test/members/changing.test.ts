import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { updateMember } from '../../src/members/changing.ts';
import { removeMember } from '../../src/members/removing.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace, type WorkspaceWishes } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { auditOf, rowsOf } from '../support/rows-of.ts';

let ctx: Context;
let ownerId: string;

const database = opened(openOwnDatabase);

const begin = async (wishes: WorkspaceWishes = {}): Promise<void> => {
  ({ ctx, ownerId } = await aWorkspace(database, wishes));
};

const rows = <R>(text: string, params: unknown[] = []) => rowsOf<R>(ctx, text, params);

/** What happened to a member since they came. */
const log = async (id: string) => (await auditOf(ctx, id)).slice(1);

describe('changing a member', () => {
  it('changes what is named, moves between teams, and is audited field by field', async () => {
    await begin();
    const { id } = await aMember(ctx, { teams: ['Vendas'] });

    await updateMember(ctx, id, {
      name: 'Bia',
      visibility: 'teams',
      options: ['campaigns.send', 'campaigns.create', 'campaigns.send'],
      teams: ['Suporte'],
      capacity: 3,
    });
    await updateMember(ctx, id, { capacity: 3 });

    const teams = await rows('select t.name from team_members m join teams t on t.id = m.team_id');
    expect(teams).toEqual([{ name: 'Suporte' }]);
    expect(
      await rows('select name, visibility, options, capacity from members where id = $1', [id]),
    ).toEqual([
      {
        name: 'Bia',
        visibility: 'teams',
        options: ['campaigns.create', 'campaigns.send'],
        capacity: 3,
      },
    ]);
    expect(
      (await log(id)).map(({ action, changes }) => [
        action,
        (changes as { field: string }[]).map(({ field }) => field),
      ]),
    ).toEqual([['member.updated', ['name', 'visibility', 'options', 'capacity', 'team_ids']]]);
  });

  it('moves to no team where one of them does not exist', async () => {
    await begin();
    const { id, teamIds } = await aMember(ctx, { teams: ['Vendas'] });

    const moved = updateMember({ ...ctx, em: ctx.em.fork() }, id, { team_ids: [newId('team')] });

    await expect(moved).rejects.toMatchObject({
      details: [{ path: 'team_ids', rule: 'unknown' }],
    });
    expect(await rows('select team_id as id from team_members')).toEqual([{ id: teamIds[0] }]);
  });

  it('takes an Agent’s options away with the role, and gives none to another', async () => {
    await begin();
    const { id } = await aMember(ctx, { options: ['campaigns.send'] });

    const admin = await updateMember(ctx, id, { role: 'admin' });

    await expect(updateMember(ctx, ownerId, { options: ['campaigns.send'] })).rejects.toMatchObject(
      {
        code: 'validation',
        details: [{ path: 'options', rule: 'not_applicable' }],
      },
    );
    expect(admin.options).toEqual([]);
  });

  it.each([
    ['role', { role: 'boss' }],
    ['capacity', { capacity: 501 }],
    ['capacity', { capacity: -1 }],
    ['visibility', { visibility: 'all' }],
    ['name', { name: ' ' }],
    ['options[0]', { options: ['billing.manage'] }],
    ['email', { email: 'x@example.com' }],
  ])('refuses a wrong %s', async (path, patch) => {
    await begin();

    await expect(updateMember(ctx, ownerId, patch as object)).rejects.toMatchObject({
      code: 'validation',
      details: [expect.objectContaining({ path })],
    });
  });

  it('takes a seat when a Viewer becomes more, and only a free one', async () => {
    await begin({ plan: 'essencial' });
    const { id } = await aMember(ctx, { role: 'viewer' });
    const second = await aMember(ctx);
    await aMember(ctx);

    const refused = updateMember(ctx, id, { role: 'agent' });
    await expect(refused).rejects.toMatchObject({ code: 'quota', details: { limit: 3, used: 3 } });
    await updateMember(ctx, second.id, { role: 'viewer' });

    await expect(updateMember(ctx, id, { role: 'agent' })).resolves.toMatchObject({
      role: 'agent',
    });
  });

  it('keeps the seat that somebody has, also where the plan has no other', async () => {
    await begin({ plan: 'essencial' });
    const { id } = await aMember(ctx);
    await aMember(ctx);

    await expect(updateMember(ctx, id, { role: 'admin' })).resolves.toMatchObject({
      role: 'admin',
    });
  });

  it('answers nobody of another workspace', async () => {
    await begin();
    const stranger = (await aWorkspace(database)).ownerId;

    for (const id of [stranger, newId('mem')]) {
      await expect(updateMember(ctx, id, { name: 'X' })).rejects.toMatchObject({
        code: 'not_found',
      });
      await expect(removeMember(ctx, id)).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
