import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../../src/context.ts';
import { asSystem } from '../../../src/db/database.ts';
import { transact } from '../../../src/db/transact.ts';
import { reactivateMember, suspendMember, updateMember } from '../../../src/members/changing.ts';
import { removeMember } from '../../../src/members/removing.ts';
import { recordEvent } from '../../../src/outbox/record.ts';
import { fanOut } from '../../../src/webhooks/lanes/first-attempts/intake.ts';
import { everyRoute } from '../../support/every-route.ts';
import { anApiKey } from '../../support/factories/api-keys.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { aWorkspace } from '../../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../../support/http.ts';
import {
  aMember as aTestMember,
  type MemberWishes,
  standConnected,
  type TestMember,
} from '../../support/members.ts';
import { rowsOf } from '../../support/rows-of.ts';

let door: OpenDoor;
let ctx: Context;
let numberId: string;
beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  ({ ctx } = await aWorkspace(door.database));
  numberId = (await aNumber(ctx)).id;
});
afterAll(() => door.close());

/** In the console: an app would have to be connected to leave something behind. */
const aMember = (of: Context, wishes: MemberWishes): Promise<TestMember> =>
  aTestMember(of, { console: true, ...wishes });

async function endpointOf(member: Pick<TestMember, 'token'>): Promise<string> {
  const answer = await door.api.call('POST', '/api/v1/webhooks', {
    key: member.token,
    body: { name: 'CRM', url: 'https://crm.example.com/x', events: ['message.received'] },
  });
  expect(answer.status).toBe(201);
  return answer.body.id;
}

/** A conversation of somebody new, given to a team or a member. */
async function talk(assigned: { teamId?: string | undefined; memberId?: string } = {}) {
  const { id: contactId } = await aContact(ctx);
  const id = await aConversation(ctx, { numberId, contactId });
  await rowsOf(
    ctx,
    'update conversations set assigned_team_id = $2, assigned_member_id = $3 where id = $1',
    [id, assigned.teamId ?? null, assigned.memberId ?? null],
  );
  return { id, contactId };
}

/** Which endpoints a message in this conversation goes to. */
async function heardBy({ id, contactId }: { id: string; contactId: string }): Promise<string[]> {
  await transact(ctx, (tx) =>
    recordEvent(tx, 'message.received', {
      message: { id: 'msg_1', text: 'Oi' },
      contact: { name: 'Ana', phone: '+5511987654321' },
      number: { id: numberId },
      contact_id: contactId,
      conversation_id: id,
      number_id: numberId,
    }),
  );
  const { claimed } = await asSystem(door.database, (sql) =>
    fanOut(sql, { token: 'tests', full: [] }, 100),
  );
  return claimed.map(({ endpointId }) => endpointId).toSorted();
}

describe('an endpoint that a member made', () => {
  it('gets what the member may see, and nothing else', async () => {
    const ofAll = await aMember(ctx, { role: 'admin' });
    const ofTeam = await aMember(ctx, { role: 'admin', visibility: 'teams', teams: ['Vendas'] });
    const ofOwn = await aMember(ctx, { role: 'admin', visibility: 'assigned' });
    const all = await endpointOf(ofAll);
    const team = await endpointOf(ofTeam);
    const own = await endpointOf(ofOwn);

    const sorted = (...ids: string[]) => ids.toSorted();
    expect(await heardBy(await talk())).toEqual([all]);
    expect(await heardBy(await talk({ teamId: ofTeam.teamIds[0] }))).toEqual(sorted(all, team));
    expect(await heardBy(await talk({ memberId: ofOwn.id }))).toEqual(sorted(all, own));
  });

  it('gets more and less as what the member sees changes, from the next event on', async () => {
    const member = await aMember(ctx, { role: 'admin', visibility: 'assigned' });
    const endpoint = await endpointOf(member);
    const place = await talk();

    expect(await heardBy(place)).not.toContain(endpoint);
    await updateMember(ctx, member.id, { visibility: 'workspace' });
    expect(await heardBy(place)).toContain(endpoint);
  });

  it("stays the workspace's when the member leaves, unless it never heard everything", async () => {
    const ofAll = await aMember(ctx, { role: 'admin' });
    const ofOwn = await aMember(ctx, { role: 'admin', visibility: 'assigned' });
    const kept = await endpointOf(ofAll);
    const silent = await endpointOf(ofOwn);

    await removeMember(ctx, ofAll.id);
    await removeMember(ctx, ofOwn.id);

    const heard = await heardBy(await talk());
    expect(heard).toContain(kept);
    expect(heard).not.toContain(silent);
  });

  it('is silent while the member is suspended, unless it hears everything', async () => {
    const ofAll = await aMember(ctx, { role: 'admin' });
    const ofTeam = await aMember(ctx, { role: 'admin', visibility: 'teams', teams: ['Vendas'] });
    const kept = await endpointOf(ofAll);
    const team = await endpointOf(ofTeam);
    const place = await talk({ teamId: ofTeam.teamIds[0] });

    for (const { id } of [ofAll, ofTeam]) await suspendMember(ctx, id);
    const meanwhile = await heardBy(place);
    for (const { id } of [ofAll, ofTeam]) await reactivateMember(ctx, id);

    expect(meanwhile).toContain(kept);
    expect(meanwhile).not.toContain(team);
    expect(await heardBy(place)).toEqual(expect.arrayContaining([kept, team]));
  });
});

describe('an endpoint that sees more than a member does', () => {
  const call = (member: TestMember, method: string, path: string, body?: unknown) =>
    door.api.call(method, `/api/v1/webhooks/${path}`, {
      key: member.token,
      ...(body === undefined ? {} : { body }),
    });
  const narrowMember = async (console = false) => {
    const member = await aMember(ctx, { role: 'admin', visibility: 'assigned', console });
    if (!console) await standConnected(ctx, member.id, member);
    return member;
  };
  const ofKey = async () => endpointOf({ token: (await anApiKey(ctx)).key });
  const ofColleague = async () => endpointOf(await aMember(ctx, { role: 'admin' }));

  const elsewhere = { url: 'https://mine.example.com/x' };
  const MAKERS = [
    ['an API key', ofKey],
    ['a colleague', ofColleague],
  ] as const;
  const ACTS = [
    ['another address', 'PATCH', '', elsewhere],
    ['other events', 'PATCH', '', { events: ['message.received', 'message.sent'] }],
    ['another address along with a name', 'PATCH', '', { name: 'Novo', ...elsewhere }],
    ['a new secret', 'POST', '/rotate', undefined],
  ] as const;
  const cases = MAKERS.flatMap(([maker, make]) =>
    ACTS.map(([what, ...act]) => ({ maker, make, what, act })),
  );

  it.each(cases)(
    'made by $maker, is refused $what',
    async ({ make, act: [method, path, body] }) => {
      const id = await make();
      const stored = () => rowsOf(ctx, 'select * from webhook_endpoints where id = $1', [id]);
      const before = await stored();

      for (const member of [await narrowMember(), await narrowMember(true)]) {
        const refused = await call(member, method, id + path, body);
        expect(refused.status).toBe(403);
        expect(refused.body.error).toMatchObject({
          code: 'forbidden',
          message: expect.stringContaining('may receive what you do not see'),
          details: { visibility: 'assigned' },
        });
      }
      expect(await stored()).toEqual(before);
    },
  );

  it('is moved by nobody who sees only what their teams have', async () => {
    const member = await aMember(ctx, { role: 'admin', visibility: 'teams', teams: ['Vendas'] });
    expect((await call(member, 'PATCH', await ofKey(), elsewhere)).status).toBe(403);
  });

  it('is renamed, paused, resumed, tested, resent and deleted by them as before', async () => {
    const member = await narrowMember();
    const id = await ofKey();
    const { url, events } = (await call(member, 'GET', id)).body;

    // Forms send what stays, too.
    const renamed = await call(member, 'PATCH', id, { name: 'Novo', url, events });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Novo']);
    for (const act of ['pause', 'resume', 'test', 'resend'])
      expect([act, (await call(member, 'POST', `${id}/${act}`)).status < 300]).toEqual([act, true]);
    expect((await call(member, 'DELETE', id)).status).toBe(200);
  });

  it('is changed by its creator, who hears no more by it, and by those who see everything', async () => {
    const creator = await aMember(ctx, { role: 'admin' });
    const own = await endpointOf(creator);
    await updateMember(ctx, creator.id, { visibility: 'assigned' });
    const all = await aMember(ctx, { role: 'admin' });

    for (const [member, id] of [
      [creator, own],
      [all, own],
      [all, await ofKey()],
    ] as const) {
      expect((await call(member, 'PATCH', id, elsewhere)).status).toBe(200);
      expect((await call(member, 'POST', `${id}/rotate`)).status).toBe(200);
    }
    expect(await heardBy(await talk())).not.toContain(own);
  });
});
