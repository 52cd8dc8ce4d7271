import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { keepMessage } from '../../src/conversations/receiving.ts';
import { conversationRoutes } from '../../src/conversations/routes.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { assignWaiting } from '../../src/members/assigning.ts';
import { updateMember } from '../../src/members/changing.ts';
import { setPresence } from '../../src/members/presence.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';

let door: OpenDoor;
let ctx: Context;
let key: string;
let numberId: string;
let teams = 0;

beforeAll(async () => {
  door = await openDoor({ routes: conversationRoutes });
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
  numberId = (await aNumber(ctx)).id;
});

afterAll(() => door.close());

const rows = <R>(sql: string, params: unknown[] = []): Promise<R[]> =>
  inWorkspace(door.database, ctx.organizationId, (tx) => tx.rows<R>(sql, params));

const transfer = (id: string, body: unknown, as = key): Promise<Reply> =>
  door.api.call('POST', `/api/v1/conversations/${id}/transfer`, { key: as, body });

const begun = async (): Promise<string> =>
  aConversation(ctx, { numberId, contactId: (await aContact(ctx)).id });

/** A team with its first member. */
async function aTeam() {
  teams += 1;
  const name = `Equipe ${teams}`;
  const member = await aMember(ctx, { teams: [name] });
  return { name, teamId: member.teamIds[0] ?? '', member };
}

const fresh = (): Context => ({ ...ctx, em: ctx.em.fork(), now: new Date() });

const assigned = async (id: string): Promise<string | null> =>
  (
    await rows<{ member: string | null }>(
      'select assigned_member_id as member from conversations where id = $1',
      [id],
    )
  )[0]?.member ?? null;

describe('a transfer', () => {
  it('sets the team and clears the member, keeps the status, and appends a line', async () => {
    const [id, first, second] = [await begun(), await aTeam(), await aTeam()];
    await transfer(id, { team_id: first.teamId, member_id: first.member.id });

    const reply = await transfer(id, { team_id: second.teamId });

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      status: 'open',
      assigned_team_id: second.teamId,
      assigned_member_id: null,
      handled_by: 'none',
    });
    const lines = await door.api.call('GET', `/api/v1/conversations/${id}/activities`, { key });
    expect(lines.body.data).toMatchObject([
      { type: 'transferred', team_id: second.teamId, member_id: null },
      { type: 'transferred', team_id: first.teamId, member_id: first.member.id },
    ]);
  });

  it('refuses a team that is not there, and a member of another one', async () => {
    const [id, team, other] = [await begun(), await aTeam(), await aTeam()];

    const unknown = await transfer(id, { team_id: 'team_1' });
    const outside = await transfer(id, { team_id: team.teamId, member_id: other.member.id });

    expect([unknown.status, unknown.body.error.code]).toEqual([422, 'unknown_team']);
    expect([outside.status, outside.body.error.code]).toEqual([422, 'member_not_in_team']);
    expect(await assigned(id)).toBeNull();
  });

  it('hands over the automations that talk in it when a member gets it, and not for a team alone', async () => {
    const { teamId, member } = await aTeam();
    const { id: contactId } = await aContact(ctx);
    const id = await aConversation(ctx, { numberId, contactId });
    const { id: automationId } = await anActiveAutomation(ctx, { name: 'Boas-vindas' });
    const run = await aRun(ctx, { automationId, contactId, conversationId: id });
    const status = async (): Promise<unknown> =>
      (await rows<{ status: string }>('select status from automation_runs where id = $1', [run]))[0]
        ?.status;

    await transfer(id, { team_id: teamId });
    const before = await status();
    await transfer(id, { team_id: teamId, member_id: member.id });

    expect([before, await status()]).toEqual(['waiting', 'handed_over']);
  });

  it('leaves a closed conversation closed', async () => {
    const [id, { teamId, member }] = [await begun(), await aTeam()];
    await door.api.call('POST', `/api/v1/conversations/${id}/close`, { key });

    const reply = await transfer(id, { team_id: teamId, member_id: member.id });

    expect(reply.body).toMatchObject({
      status: 'closed',
      assigned_team_id: teamId,
      assigned_member_id: member.id,
    });
  });

  it('is answered even when the giver does not see the conversation any more', async () => {
    const [mine, theirs] = [await aTeam(), await aTeam()];
    const { token } = await aMember(ctx, { teams: [mine.name], visibility: 'teams' });
    const id = await begun();
    await transfer(id, { team_id: mine.teamId });

    const given = await transfer(id, { team_id: theirs.teamId }, token);
    const again = await transfer(id, { team_id: mine.teamId }, token);

    expect([given.status, again.status]).toEqual([200, 404]);
  });
});

describe('the assignment queue', () => {
  async function aQueue(capacity: number) {
    const team = await aTeam();
    await rows('update teams set auto_assign = true where id = $1', [team.teamId]);
    await updateMember(fresh(), team.member.id, { capacity });
    return team;
  }
  /** Conversations that wait in a team, oldest first. */
  async function waiting(teamId: string, count: number): Promise<string[]> {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) {
      const id = await begun();
      await rows(
        `update conversations set assigned_team_id = $2, waiting_since = now() - $3 * interval '1 minute' where id = $1`,
        [id, teamId, count - i],
      );
      ids.push(id);
    }
    return ids;
  }

  it('gives the oldest waiting ones to who comes online, up to the capacity, and the next on close', async () => {
    const { teamId, member } = await aQueue(2);
    const [first = '', second = '', third = ''] = await waiting(teamId, 3);

    await setPresence(fresh(), member.id, { online: true });
    expect([await assigned(first), await assigned(second), await assigned(third)]).toEqual([
      member.id,
      member.id,
      null,
    ]);

    await door.api.call('POST', `/api/v1/conversations/${first}/close`, { key });
    expect(await assigned(third)).toBe(member.id);
  });

  it('gives more when somebody gets more room', async () => {
    const { teamId, member } = await aQueue(0);
    const [first = ''] = await waiting(teamId, 1);
    await setPresence(fresh(), member.id, { online: true });
    expect(await assigned(first)).toBeNull();

    await updateMember(fresh(), member.id, { capacity: 1 });

    expect(await assigned(first)).toBe(member.id);
  });

  it('gives a transferred conversation at once to who has the most room', async () => {
    const { teamId, name, member } = await aQueue(1);
    const second = await aMember(ctx, { teams: [name] });
    await updateMember(fresh(), second.id, { capacity: 5 });
    await setPresence(fresh(), member.id, { online: true });
    await setPresence(fresh(), second.id, { online: true });
    const id = await begun();
    await rows('update conversations set waiting_since = now() where id = $1', [id]);

    const reply = await transfer(id, { team_id: teamId });

    expect(reply.body.assigned_member_id).toBe(second.id);
  });

  it('gives the next one to whoever handed a conversation on', async () => {
    const { teamId, member } = await aQueue(1);
    const other = await aTeam();
    const [first = '', second = ''] = await waiting(teamId, 2);
    await setPresence(fresh(), member.id, { online: true });
    expect([await assigned(first), await assigned(second)]).toEqual([member.id, null]);

    await transfer(first, { team_id: other.teamId });

    expect([await assigned(first), await assigned(second)]).toEqual([null, member.id]);
  });

  it('gives nothing in a team that does not want it, nor to who is away', async () => {
    const plain = await aTeam();
    await setPresence(fresh(), plain.member.id, { online: true });
    const queue = await aQueue(5);
    const [one = ''] = await waiting(plain.teamId, 1);
    const [two = ''] = await waiting(queue.teamId, 1);

    for (const teamId of [plain.teamId, queue.teamId])
      await transact(fresh(), (tx) => assignWaiting(tx, teamId));

    expect([await assigned(one), await assigned(two)]).toEqual([null, null]);
  });

  it('gives no conversation twice and nobody too many, however many ask at once', async () => {
    const { teamId, member } = await aQueue(3);
    await rows(`update members set online_until = now() + interval '1 hour' where id = $1`, [
      member.id,
    ]);
    const ids = await waiting(teamId, 8);

    await Promise.all(
      Array.from({ length: 6 }, () => transact(fresh(), (tx) => assignWaiting(tx, teamId))),
    );

    const given = await Promise.all(ids.map(assigned));
    expect(given).toEqual([member.id, member.id, member.id, null, null, null, null, null]);
    const lines = await rows(
      'select 1 from conversation_activities where conversation_id = any($1)',
      [ids],
    );
    expect(lines).toHaveLength(3);
  });

  it('tells who keeps a message in which queue its conversation waits', async () => {
    const { teamId } = await aQueue(1);
    const number = (await aNumber(ctx)).id;
    await rows('insert into number_teams select organization_id, $1, id from teams where id = $2', [
      number,
      teamId,
    ]);
    await rows('update numbers set default_team_id = $2 where id = $1', [number, teamId]);
    const contactId = (await aContact(ctx)).id;
    const message = { type: 'text', text: 'Oi', media: null, replyTo: null, at: new Date() };

    const kept = await transact(fresh(), (tx) =>
      keepMessage(tx, { ...message, numberId: number, contactId, providerId: 'wamid.queue' }),
    );

    expect(kept.teamId).toBe(teamId);
  });
});
