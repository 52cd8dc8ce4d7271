import { beforeEach, describe, expect, it } from '@jest/globals';
import { automationPatch } from '../../src/automations/schema.ts';
import { updateAutomation } from '../../src/automations/service.ts';
import { deactivateAutomation } from '../../src/automations/transitions.ts';
import type { Context } from '../../src/context.ts';
import { createContext } from '../../src/db/contexts.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { newId } from '../../src/ids.ts';
import { updateMember } from '../../src/members/changing.ts';
import { removeTeam } from '../../src/members/removing.ts';
import { memberRoutes } from '../../src/members/routes.ts';
import { addTeam, updateTeam } from '../../src/members/teams.ts';
import { updateNumber } from '../../src/numbers/changing.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anActiveAutomation, anAutomation } from '../support/factories/automations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';

const door = opened(() => openDoor({ routes: memberRoutes }));
let ctx: Context;
let key: string;
let ownerId: string;

beforeEach(async () => {
  ({ ctx, ownerId } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx, ['members:read']));
});

/** As each request has one of its own. */
const again = (): Context =>
  createContext(door.api.deps, {
    organizationId: ctx.organizationId,
    actor: ctx.actor,
    now: ctx.now,
  });

const get = (path: string): Promise<Reply> => door.api.call('GET', `/api/v1${path}`, { key });

describe('listing teams', () => {
  it('answers the specification’s record, newest first, page by page', async () => {
    const bia = await aMember(ctx, { teams: ['Vendas'] });
    const caio = await aMember(ctx, { teams: ['Vendas'] });
    const empty = await addTeam(ctx, 'Suporte');

    const first = await get('/teams?limit=1');
    const second = await get(`/teams?limit=1&cursor=${first.body.next_cursor}`);

    expect(first.body.data).toEqual([
      { id: empty.id, name: 'Suporte', member_ids: [], created_at: ctx.now.toISOString() },
    ]);
    expect(second.body).toEqual({
      data: [
        {
          id: bia.teamIds[0],
          name: 'Vendas',
          member_ids: [bia.id, caio.id],
          created_at: ctx.now.toISOString(),
        },
      ],
      next_cursor: null,
    });
  });
});

it('a team and a member are read by id as they stand in their lists', async () => {
  const { id, teamIds } = await aMember(ctx, { teams: ['Vendas'] });
  const member = await get(`/members/${id}`);
  const team = await get(`/teams/${teamIds[0]}`);

  expect([member.status, member.body]).toEqual([200, (await get('/members')).body.data[0]]);
  expect([team.status, team.body]).toEqual([200, (await get('/teams')).body.data[0]]);
  for (const missing of [`/members/${newId('mem')}`, `/teams/${newId('team')}`])
    expect((await get(missing)).body.error.code).toBe('not_found');
});

describe('listing members', () => {
  it('answers who they are, what they see, and who is there', async () => {
    const { id, teamIds } = await aMember(ctx, {
      role: 'agent',
      visibility: 'teams',
      teams: ['Vendas'],
    });
    await inWorkspace(door.database, ctx.organizationId, (sql) =>
      sql.rows("update members set online_until = now() + interval '1 minute' where id = $1", [id]),
    );

    const { body } = await get('/members');

    expect(body.data.map((row: { id: string }) => row.id)).toEqual([id, ownerId]);
    expect(body.data[0]).toEqual({
      id,
      name: 'Pessoa agent',
      email: expect.stringContaining('@'),
      role: 'agent',
      seat: true,
      visibility: 'teams',
      team_ids: teamIds,
      status: 'active',
      online: true,
      created_at: ctx.now.toISOString(),
    });
    expect(body.data[1]).toMatchObject({ role: 'owner', online: false, team_ids: [] });
  });

  it('shows neither a password nor its hash', async () => {
    expect((await get('/members')).text).not.toMatch(/password|argon/);
  });
});

describe('a team', () => {
  it.each([
    ['İnsan', 'İNSAN'],
    ['ΠΩΛΗΣΕΙΣ', 'πΩΛΗΣΕΙΣ'],
    ['Vendas', 'vendas'],
  ])(
    'named %s is created by its name, found by it in any case, and has who was added to it',
    async (name, other) => {
      const ana = await aMember(ctx, { teams: [name, other] });
      const bia = await aMember(ctx, { teams: [name] });

      await updateMember(again(), bia.id, { teams: [other] });

      const { body } = await get('/teams');
      const its = body.data.find((team: { id: string }) => team.id === ana.teamIds[0]);
      expect(its).toMatchObject({ name, member_ids: [ana.id, bia.id] });
    },
  );

  it('has a name of its own, in any case', async () => {
    const { id } = await addTeam(ctx, ' Vendas ');
    const other = await addTeam(ctx, 'Suporte');

    await expect(addTeam(again(), 'VENDAS')).rejects.toMatchObject({ code: 'duplicate' });
    await expect(updateTeam(again(), other.id, { name: 'vendas' })).rejects.toMatchObject({
      code: 'duplicate',
    });
    await expect(updateTeam(again(), id, { name: 'VENDAS' })).resolves.toMatchObject({
      name: 'VENDAS',
    });
    await expect(addTeam(again(), '')).rejects.toMatchObject({ code: 'validation' });
  });

  it('is not removed while conversations of a number begin in it', async () => {
    const { id } = await addTeam(ctx, 'Vendas');
    const member = await aMember(ctx, { teams: ['Vendas'] });
    const number = await aNumber(ctx);
    await updateNumber(ctx, number.id, { team_ids: [id], default_team_id: id });
    const other = await addTeam(ctx, 'Suporte');

    await expect(removeTeam(again(), id)).rejects.toMatchObject({
      code: 'in_use',
      details: { number_id: number.id },
    });
    await updateNumber(ctx, number.id, { team_ids: [id, other.id], default_team_id: other.id });
    await removeTeam(ctx, id);

    const { body } = await get('/members');
    expect(body.data[0]).toMatchObject({ id: member.id, team_ids: [] });
    expect((await get('/teams')).body.data).toHaveLength(1);
  });

  it('is not removed while an automation assigns to it', async () => {
    const { id } = await addTeam(ctx, 'Vendas');
    await anAutomation(again(), {
      steps: [
        { id: 'give', type: 'assign', team_id: id, next: 'end' },
        { id: 'end', type: 'end' },
      ],
    });

    await expect(removeTeam(again(), id)).rejects.toMatchObject({
      code: 'in_use',
      details: { used_by: { automations: 1, segments: 0 } },
    });
  });

  it('is removed once the automation that assigned to it is off, and does so no more', async () => {
    const { id } = await addTeam(ctx, 'Vendas');
    const end = { id: 'end', type: 'end' } as const;
    const steps = [{ id: 'give', type: 'assign', team_id: id, next: 'end' } as const, end];
    const automation = await anActiveAutomation(again(), { steps });
    const patch = automationPatch.parse({ steps: [end] });
    await updateAutomation(again(), automation.id, patch, { trustedOrigins: [] });
    await expect(removeTeam(again(), id)).rejects.toMatchObject({ code: 'in_use' });

    await deactivateAutomation(again(), automation.id, 'finish');
    await removeTeam(again(), id);

    expect((await get('/teams')).body.data).toEqual([]);
  });
});
