import { describe, expect, it } from '@jest/globals';
import { listActivities } from '../../../src/conversations/service.ts';
import { inWorkspace } from '../../../src/db/database.ts';
import { suspendMember } from '../../../src/members/changing.ts';
import { setPresence } from '../../../src/members/presence.ts';
import { aMember } from '../../support/members.ts';
import { opened } from '../../support/opened.ts';
import { aRunScene, openRunStage, play, type RunScene } from './support/scene.ts';

const stage = opened(openRunStage);

const handover = (wishes: object) => [{ id: 'h', type: 'handover', ...wishes }];

const placed = async (scene: RunScene) => {
  const [row] = await scene.rows(
    `select assigned_team_id as team, assigned_member_id as member, handled_by as by, status,
       waiting_since is not null as waiting from conversations`,
  );
  return row;
};

it('whoever an automation assigned to a team waits for it, whatever the automation says then', async () => {
  const scene = await aRunScene(stage);
  const { teamIds } = await aMember(scene.ctx, { teams: ['Loja'] });

  await play(scene, [
    { id: 'a', type: 'assign', team_id: teamIds[0], next: 'say' },
    { id: 'say', type: 'send_message', text: 'Respondemos amanhã às 8h.', next: 'end' },
  ]);

  expect(await scene.said()).toEqual(['Respondemos amanhã às 8h.']);
  expect(await placed(scene)).toMatchObject({ team: teamIds[0], member: null, waiting: true });
});

describe('handover', () => {
  it('gives the conversation to a team, waiting, and ends the run as handed over', async () => {
    const scene = await aRunScene(stage, { contact: { name: 'Zoe' } });
    const { teamIds } = await aMember(scene.ctx, { teams: ['Loja'] });
    const [team] = teamIds;

    const run = await play(scene, handover({ team_id: team, note: '{{name}} quer um orçamento' }));

    expect(run).toMatchObject({ status: 'handed_over', step: 'h', code: null });
    expect(await placed(scene)).toEqual({
      team,
      member: null,
      by: 'member',
      status: 'open',
      waiting: true,
    });
    const { data } = await inWorkspace(stage.database, scene.ctx.organizationId, (sql) =>
      listActivities({ ...scene.ctx, sql }, scene.conversationId, { limit: 10, after: null }),
    );
    expect(data).toMatchObject([
      {
        type: 'handed_over',
        team_id: team,
        member_id: null,
        note: 'Zoe quer um orçamento',
        actor: { type: 'automation' },
      },
    ]);
    expect(await scene.outputs(run.runId, 'h')).toEqual([{ team_id: team, member_id: null }]);
    expect(await scene.rows("select 1 from facts where type = 'automation.failed'")).toEqual([]);
  });

  it('gives it to a member of the team, or to a member with the team they are in', async () => {
    const scene = await aRunScene(stage);
    const { id: member, teamIds } = await aMember(scene.ctx, { teams: ['Loja', 'Vendas'] });
    const [shop, sales] = teamIds;

    for (const team of [shop, sales]) {
      await play(scene, handover({ team_id: team, member_id: member }));
      expect(await placed(scene)).toMatchObject({ team, member });
    }

    for (const team of [shop, sales]) {
      await scene.rows('update conversations set assigned_team_id = $1', team);
      await play(scene, handover({ member_id: member }));
      expect(await placed(scene)).toMatchObject({ team, member, by: 'member' });
    }
  });

  it('leaves it where it is when nobody is named', async () => {
    const scene = await aRunScene(stage);
    const { id: member, teamIds } = await aMember(scene.ctx, { teams: ['Loja'] });
    await scene.rows(
      'update conversations set assigned_team_id = $1, assigned_member_id = $2',
      teamIds[0],
      member,
    );

    await play(scene, handover({}));

    expect(await placed(scene)).toMatchObject({ team: teamIds[0], member, by: 'member' });
  });

  it('passes over a member who has left: the team takes it', async () => {
    const scene = await aRunScene(stage);
    const { id: member, teamIds } = await aMember(scene.ctx, { teams: ['Loja'] });
    const runId = await scene.start(handover({ team_id: teamIds[0], member_id: member }));
    await suspendMember(scene.ctx, member);

    await scene.advance(runId);

    expect((await scene.run(runId)).status).toBe('handed_over');
    expect(await placed(scene)).toMatchObject({ team: teamIds[0], member: null, waiting: true });
  });

  it('hands it to whoever of the team is online, where the team has a queue', async () => {
    const scene = await aRunScene(stage);
    const { id: member, teamIds } = await aMember(scene.ctx, { teams: ['Loja'] });
    await scene.rows('update teams set auto_assign = true');
    await setPresence({ ...scene.ctx, now: scene.now }, member, { online: true });

    await play(scene, handover({ team_id: teamIds[0] }));

    expect(await placed(scene)).toMatchObject({ team: teamIds[0], member });
  });

  it('opens a closed conversation again, and ends every run that talks in it', async () => {
    const scene = await aRunScene(stage);
    const other = await play(scene, [{ id: 'w', type: 'wait', duration: 'P1D', next: 'end' }]);
    await scene.rows("update conversations set status = 'closed', closed_at = now()");

    const { status } = await play(scene, handover({ note: '' }));

    expect(status).toBe('handed_over');
    expect((await scene.run(other.runId)).status).toBe('handed_over');
    expect(await placed(scene)).toMatchObject({ status: 'open', by: 'member' });
  });

  it("takes the contact's conversation when the run has none", async () => {
    const scene = await aRunScene(stage);

    const run = await play(scene, handover({}), { conversationId: null });

    expect(run).toMatchObject({ status: 'handed_over', conversationId: scene.conversationId });
    expect(await placed(scene)).toMatchObject({ by: 'member', waiting: true });
  });
});
