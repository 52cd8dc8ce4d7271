import { describe, expect, it } from '@jest/globals';
import { keepMessage } from '../../src/conversations/receiving/receiving.ts';
import { transact } from '../../src/db/transact.ts';
import { assignWaiting } from '../../src/members/assigning.ts';
import { suspendMember, updateMember } from '../../src/members/changing.ts';
import { setPresence } from '../../src/members/presence.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';

import { transferScene } from './support/transfer-scene.ts';

const scene = transferScene();
const { rows, transfer, begun, aTeam, fresh, assigned } = scene;

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

  it('gives the oldest waiting ones to a member who comes online, up to their capacity, and the next one on close', async () => {
    const { teamId, member } = await aQueue(2);
    const [first = '', second = '', third = ''] = await waiting(teamId, 3);

    await setPresence(fresh(), member.id, { online: true });
    expect([await assigned(first), await assigned(second), await assigned(third)]).toEqual([
      member.id,
      member.id,
      null,
    ]);

    await scene.door.api.call('POST', `/api/v1/conversations/${first}/close`, { key: scene.key });
    expect(await assigned(third)).toBe(member.id);
  });

  it('gives nobody a conversation in which nobody waits', async () => {
    const { teamId, member } = await aQueue(2);
    const [answered = '', open = ''] = await waiting(teamId, 2);
    await rows('update conversations set waiting_since = null where id = $1', [answered]);

    await setPresence(fresh(), member.id, { online: true });

    expect([await assigned(answered), await assigned(open)]).toEqual([null, member.id]);
  });

  it('gives more when somebody gets more room', async () => {
    const { teamId, member } = await aQueue(0);
    const [first = ''] = await waiting(teamId, 1);
    await setPresence(fresh(), member.id, { online: true });
    expect(await assigned(first)).toBeNull();

    await updateMember(fresh(), member.id, { capacity: 1 });

    expect(await assigned(first)).toBe(member.id);
  });

  it('gives a transferred conversation at once to the member with the most room', async () => {
    const { teamId, name, member } = await aQueue(1);
    const second = await aMember(scene.ctx, { teams: [name] });
    await updateMember(fresh(), second.id, { capacity: 5 });
    await setPresence(fresh(), member.id, { online: true });
    await setPresence(fresh(), second.id, { online: true });
    const id = await begun();

    const reply = await transfer(id, { team_id: teamId });

    expect(reply.body.assigned_member_id).toBe(second.id);
  });

  it('gives it back to who passed it on only if nobody else has room', async () => {
    const { teamId, name, member } = await aQueue(10);
    const second = await aMember(scene.ctx, { teams: [name] });
    await updateMember(fresh(), second.id, { capacity: 1 });
    await setPresence(fresh(), member.id, { online: true });
    await setPresence(fresh(), second.id, { online: true });
    const id = await begun();
    const other = await begun();
    for (const one of [id, other]) {
      await transfer(one, { team_id: teamId, member_id: member.id });
      await transfer(one, { team_id: teamId }, member.token);
    }

    expect([await assigned(id), await assigned(other)]).toEqual([second.id, member.id]);
  });

  it('keeps a transferred conversation, although it was just answered, for the next who comes online', async () => {
    const { teamId, member } = await aQueue(1);
    const id = await begun();

    const reply = await transfer(id, { team_id: teamId });
    const again = await transfer(id, { team_id: teamId });
    await setPresence(fresh(), member.id, { online: true });

    expect(reply.body.waiting_since).not.toBeNull();
    expect(again.body.waiting_since).toBe(reply.body.waiting_since);
    expect(await assigned(id)).toBe(member.id);
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

  it.each<[string, (id: string) => Promise<unknown>]>([
    ['is suspended', (id) => suspendMember(fresh(), id)],
    ['becomes a Viewer', (id) => updateMember(fresh(), id, { role: 'viewer' })],
  ])(
    'gives away what somebody has who %s, and what is closed when it opens again',
    async (_, go) => {
      const { teamId, name, member } = await aQueue(5);
      const second = await aMember(scene.ctx, { teams: [name] });
      const [first = '', closed = ''] = await waiting(teamId, 2);
      await setPresence(fresh(), member.id, { online: true });
      await setPresence(fresh(), second.id, { online: true });
      await scene.door.api.call('POST', `/api/v1/conversations/${closed}/close`, {
        key: scene.key,
      });

      await go(member.id);

      expect([await assigned(first), await assigned(closed)]).toEqual([second.id, null]);
    },
  );

  it('leaves nothing with somebody suspended, whatever is closed and transferred meanwhile', async () => {
    const { teamId, member } = await aQueue(20);
    const ids = await waiting(teamId, 20);
    await setPresence(fresh(), member.id, { online: true });
    const key = scene.key;

    const transfers = ids
      .slice(10)
      .map((id) => transfer(id, { team_id: teamId, member_id: member.id }));
    await Promise.all([
      ...transfers,
      ...ids
        .slice(0, 10)
        .map((id) => scene.door.api.call('POST', `/api/v1/conversations/${id}/close`, { key })),
      suspendMember(fresh(), member.id),
    ]);

    expect(new Set(await Promise.all(ids.map(assigned)))).toEqual(new Set([null]));
    for (const { status } of await Promise.all(transfers)) expect([200, 422]).toContain(status);
  });

  it('gives nothing in a team that has no queue, nor to a member who is away', async () => {
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
    const number = (await aNumber(scene.ctx)).id;
    await rows('insert into number_teams select organization_id, $1, id from teams where id = $2', [
      number,
      teamId,
    ]);
    await rows('update numbers set default_team_id = $2 where id = $1', [number, teamId]);
    const contactId = (await aContact(scene.ctx)).id;
    const message = { type: 'text', text: 'Oi', media: null, replyTo: null, at: new Date() };

    const kept = await transact(fresh(), (tx) =>
      keepMessage(tx, { ...message, numberId: number, contactId, providerId: 'wamid.queue' }),
    );

    expect(kept.teamId).toBe(teamId);
  });
});
