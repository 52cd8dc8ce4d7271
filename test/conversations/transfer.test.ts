import { describe, expect, it } from '@jest/globals';
import { suspendMember } from '../../src/members/changing.ts';
import { addMember } from '../../src/members/service.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aMember } from '../support/members.ts';
import { transferScene } from './support/transfer-scene.ts';

const scene = transferScene();
const { rows, transfer, begun, aTeam, assigned } = scene;

describe('a transfer', () => {
  it('sets the team and clears the member, keeps the status, and appends a line', async () => {
    const id = await begun();
    const first = await aTeam();
    const second = await aTeam();
    await transfer(id, { team_id: first.teamId, member_id: first.member.id });

    const reply = await transfer(id, { team_id: second.teamId });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      status: 'open',
      assigned_team_id: second.teamId,
      assigned_member_id: null,
      handled_by: 'member',
    });
    const lines = await scene.door.api.call('GET', `/api/v1/conversations/${id}/activities`, {
      key: scene.key,
    });
    expect(lines.body.data).toMatchObject([
      { type: 'transferred', team_id: second.teamId, member_id: null },
      { type: 'transferred', team_id: first.teamId, member_id: first.member.id },
    ]);
  });

  it('refuses a team that is not there, and a member of another one', async () => {
    const id = await begun();
    const team = await aTeam();
    const other = await aTeam();

    const unknown = await transfer(id, { team_id: 'team_1' });
    const outside = await transfer(id, { team_id: team.teamId, member_id: other.member.id });

    expect([unknown.status, unknown.body.error.code]).toEqual([422, 'unknown_team']);
    expect([outside.status, outside.body.error.code]).toEqual([422, 'member_not_in_team']);
    expect(await assigned(id)).toBeNull();
  });

  it.each<[string, (name: string) => Promise<{ readonly id: string }>]>([
    ['a Viewer', (name) => aMember(scene.ctx, { teams: [name], role: 'viewer' })],
    [
      'who is suspended',
      async (name) => suspendMember(scene.ctx, (await aMember(scene.ctx, { teams: [name] })).id),
    ],
    [
      'who has not joined yet',
      (name) =>
        addMember(scene.ctx, { name: 'Bia', email: 'b@example.com', role: 'agent', teams: [name] }),
    ],
  ])('refuses %s, for they cannot answer, though the team has them', async (_who, making) => {
    const id = await begun();
    const { teamId, name } = await aTeam();
    const { id: member_id } = await making(name);

    const reply = await transfer(id, { team_id: teamId, member_id });

    expect([reply.status, reply.body.error?.code]).toEqual([422, 'member_not_in_team']);
    expect(await assigned(id)).toBeNull();
  });

  it('hands over the automations that talk in it when a member gets it, and not for a team alone', async () => {
    const { teamId, member } = await aTeam();
    const { id: contactId } = await aContact(scene.ctx);
    const id = await aConversation(scene.ctx, { numberId: scene.numberId, contactId });
    const { id: automationId } = await anActiveAutomation(scene.ctx, { name: 'Boas-vindas' });
    const run = await aRun(scene.ctx, { automationId, contactId, conversationId: id });
    const status = async (): Promise<unknown> =>
      (await rows<{ status: string }>('select status from automation_runs where id = $1', [run]))[0]
        ?.status;

    await transfer(id, { team_id: teamId });
    const before = await status();
    await transfer(id, { team_id: teamId, member_id: member.id });

    expect([before, await status()]).toEqual(['waiting', 'handed_over']);
  });

  it('to a team alone leaves automations silent where a member answered', async () => {
    const id = await begun();
    const { teamId, member } = await aTeam();
    await rows(
      `update conversations set window_expires_at = now() + interval '1 hour' where id = $1`,
      [id],
    );
    const said = await scene.door.api.call('POST', `/api/v1/conversations/${id}/messages`, {
      key: member.token,
      body: { text: 'Oi, aqui é a Ana' },
    });

    const reply = await transfer(id, { team_id: teamId }, member.token);

    expect([said.status, reply.status, reply.body.handled_by]).toEqual([201, 200, 'member']);
  });

  it('leaves a closed conversation closed', async () => {
    const id = await begun();
    const { teamId, member } = await aTeam();
    await scene.door.api.call('POST', `/api/v1/conversations/${id}/close`, { key: scene.key });

    const reply = await transfer(id, { team_id: teamId, member_id: member.id });

    expect(reply.body).toMatchObject({
      status: 'closed',
      assigned_team_id: teamId,
      assigned_member_id: member.id,
    });
  });

  it('begins no waiting in a closed conversation, nor in an answered one that it gives to a member', async () => {
    const closed = await begun();
    const answered = await begun();
    const { teamId, member } = await aTeam();
    await scene.door.api.call('POST', `/api/v1/conversations/${closed}/close`, { key: scene.key });

    const replies = [
      await transfer(closed, { team_id: teamId }),
      await transfer(answered, { team_id: teamId, member_id: member.id }),
    ];

    expect(replies.map(({ body }) => body.waiting_since)).toEqual([null, null]);
  });

  it('is answered even when the giver does not see the conversation any more', async () => {
    const mine = await aTeam();
    const theirs = await aTeam();
    const { token } = await aMember(scene.ctx, { teams: [mine.name], visibility: 'teams' });
    const id = await begun();
    await transfer(id, { team_id: mine.teamId });

    const given = await transfer(id, { team_id: theirs.teamId }, token);
    const again = await transfer(id, { team_id: mine.teamId }, token);

    expect([given.status, again.status]).toEqual([200, 404]);
  });
});
