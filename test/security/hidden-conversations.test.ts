import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { aGroupOf } from '../campaigns/support/groups.ts';
import { everyRoute } from '../support/every-route.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { type OpenDoor, openDoor } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';

/** A number that Vendas sees, on which another team has conversations and groups that Vendas does not see. */
let door: OpenDoor;
let ctx: Context;
let numberId: string;
let ours: string;
let theirs: string;
/** An Owner who sees what their team has, and one who sees everything. */
let narrow: string;
let wide: string;

beforeAll(async () => {
  door = await openDoor({ routes: everyRoute });
  ({ ctx } = await aWorkspace(door.database));
  numberId = (await aNumber(ctx)).id;
  const member = await aMember(ctx, { role: 'owner', visibility: 'teams', teams: ['Vendas'] });
  const other = await aMember(ctx, { role: 'owner', teams: ['Outra'] });
  [narrow, wide] = [member.token, other.token];
  [ours, theirs] = [member.teamIds[0] ?? '', other.teamIds[0] ?? ''];
  await rows('insert into number_teams values ($1, $2, $3)', [ctx.organizationId, numberId, ours]);
});
afterAll(() => door.close());

const rows = (text: string, params: readonly unknown[]) => rowsOf(ctx, text, params);

const call = async (token: string, method: string, path: string, body?: unknown) => {
  const reply = await door.api.call(method, `/api/v1${path}`, { key: token, body });
  return [reply.status, reply.body.error?.code ?? null];
};

const handOver = (conversationId: string, teamId: string): Promise<unknown> =>
  rows('update conversations set assigned_team_id = $1 where id = $2', [teamId, conversationId]);

async function personOf(teamId: string): Promise<{ id: string; phone: string }> {
  const { id, phone } = await aContact(ctx);
  await handOver(await aConversation(ctx, { numberId, contactId: id }), teamId);
  return { id, phone: phone ?? '' };
}

describe('a conversation that a member does not see, on a number that they see', () => {
  it('comes into none of theirs by merging its contact', async () => {
    const mine = await personOf(ours);
    const hidden = await personOf(theirs);
    const body = { contact_id: hidden.id };

    expect(await call(narrow, 'POST', `/contacts/${mine.id}/merge`, body)).toEqual([
      403,
      'forbidden',
    ]);
    expect(await call(wide, 'POST', `/contacts/${mine.id}/merge`, body)).toEqual([200, null]);
  });

  it('is not written to by testing a campaign', async () => {
    const { id: contactId } = await aContact(ctx);
    const { id } = await aCampaign(ctx, { number_id: numberId, contact_ids: [contactId] });
    const mine = await personOf(ours);
    const hidden = await personOf(theirs);
    await rows(
      "update conversations set window_expires_at = now() + interval '1 hour' where true",
      [],
    );
    const tested = (phone: string) => call(narrow, 'POST', `/campaigns/${id}/test`, { phone });

    expect(await tested(hidden.phone)).toEqual([404, 'not_found']);
    expect(await tested(mine.phone)).toEqual([200, null]);
  });
});

describe('a conversation without a team, on a number of a member who sees teams', () => {
  it('is theirs to see while nobody has it, and not once a colleague does', async () => {
    const { id: contactId } = await aContact(ctx);
    const id = await aConversation(ctx, { numberId, contactId });
    const colleague = await aMember(ctx);
    const read = () => call(narrow, 'GET', `/conversations/${id}`);
    const listed = async () =>
      (await door.api.call('GET', '/api/v1/conversations', { key: narrow })).text.includes(id);

    expect([await read(), await listed()]).toEqual([[200, null], true]);
    await rows('update conversations set assigned_member_id = $1 where id = $2', [
      colleague.id,
      id,
    ]);
    expect([await read(), await listed()]).toEqual([[404, 'not_found'], false]);
  });
});

describe('a reminder to a conversation that a member does not see', () => {
  const text = { title: 'Retorno', text: 'Oi!', repeat: 'daily', time: '09:00' };
  const made = (token: string, whom: object) =>
    call(token, 'POST', '/reminders', { ...text, number_id: numberId, ...whom });

  it('is refused like a message, by the contact and by their phone', async () => {
    const mine = await personOf(ours);
    const hidden = await personOf(theirs);
    const { id: stranger } = await aContact(ctx);
    const ways = ({ id, phone }: { id: string; phone: string }) => [
      { target: 'contact', contact_id: id },
      { target: 'phone', phone },
    ];

    for (const whom of ways(hidden)) {
      expect(await made(narrow, whom)).toEqual([404, 'not_found']);
      expect(await made(wide, whom)).toEqual([201, null]);
    }
    for (const whom of ways(mine)) expect(await made(narrow, whom)).toEqual([201, null]);
    for (const whom of [
      { target: 'contact', contact_id: stranger },
      { target: 'phone', phone: '+5511982000099' },
    ])
      expect(await made(narrow, whom)).toEqual([201, null]);
  });

  it('is not changed into one', async () => {
    const mine = await personOf(ours);
    const hidden = await personOf(theirs);
    const body = { ...text, number_id: numberId, target: 'contact', contact_id: mine.id };
    const { body: reminder } = await door.api.call('POST', '/api/v1/reminders', {
      key: narrow,
      body,
    });
    const patched = (change: object) => call(narrow, 'PATCH', `/reminders/${reminder.id}`, change);

    expect(await patched({ contact_id: hidden.id })).toEqual([404, 'not_found']);
    expect(await patched({ target: 'phone', phone: hidden.phone })).toEqual([404, 'not_found']);
    expect(await patched({ text: 'Olá!' })).toEqual([200, null]);
  });
});

describe('a campaign to a group that a member does not see', () => {
  it('is not there for them', async () => {
    const group = await aGroupOf(ctx, numberId);
    await handOver(group.conversationId, theirs);
    const wishes = { number_id: numberId, target: 'groups', contact_ids: [], text: 'Oi!' } as const;
    const { id } = await aCampaign(ctx, { ...wishes, group_ids: [group.id] });
    const steps = ['/preview', '/send', '/cancel'].map((step) => ['POST', step] as const);

    for (const [method, path] of [['GET', ''] as const, ['GET', '/recipients'] as const, ...steps])
      expect(await call(narrow, method, `/campaigns/${id}${path}`)).toEqual([404, 'not_found']);
    const list = await door.api.call('GET', '/api/v1/campaigns', { key: narrow });
    expect(JSON.stringify(list.body)).not.toContain(id);
    expect(await call(wide, 'GET', `/campaigns/${id}`)).toEqual([200, null]);
    await handOver(group.conversationId, ours);
    expect(await call(narrow, 'GET', `/campaigns/${id}`)).toEqual([200, null]);
  });

  it('is as unknown to their segments and automations as one that never was', async () => {
    const group = await aGroupOf(ctx, numberId);
    await handOver(group.conversationId, theirs);
    const wishes = { number_id: numberId, target: 'groups', contact_ids: [], text: 'Oi!' } as const;
    const { id } = await aCampaign(ctx, { ...wishes, group_ids: [group.id] });
    const received = { field: 'campaign.received', op: 'eq', value: id };

    const counted = (token: string) =>
      call(token, 'POST', '/segments/preview', { rules: received });
    expect(await counted(narrow)).toEqual([422, 'validation']);
    expect(await counted(wide)).toEqual([200, null]);
    const entry = { conditions: received };
    const place = 'entry.conditions.value';
    expect(await unknownIn(narrow, { entry, steps: [END] })).toEqual([place]);
    expect(await unknownIn(wide, { entry, steps: [END] })).toEqual([]);
  });
});

describe('a file from a conversation that a member does not see', () => {
  it('is as unknown to their automations as one that never was', async () => {
    const mine = await aFileIn(ours);
    const hidden = await aFileIn(theirs);
    const sending = (media_id: string) => ({
      steps: [{ id: 's', type: 'send_media', media_id, next: 'end' }, END],
    });

    expect(await unknownIn(narrow, sending(hidden))).toEqual(['steps[0].media_id']);
    expect(await unknownIn(narrow, sending(mine))).toEqual([]);
    expect(await unknownIn(wide, sending(hidden))).toEqual([]);
  });
});

const END = { id: 'end', type: 'end' };
let drafts = 0;

/** The places of a draft that name what its writer does not know. */
async function unknownIn(token: string, definition: object): Promise<(string | null)[]> {
  drafts += 1;
  const body = { name: `A${drafts}`, trigger: { type: 'manual' }, ...definition };
  const reply = await door.api.call('POST', '/api/v1/automations', { key: token, body });
  const issues: { code: string; path: string | null }[] = reply.body.issues;
  return issues.flatMap(({ code, path }) => (code === 'unknown_reference' ? [path] : []));
}

async function aFileIn(teamId: string): Promise<string> {
  const { id: contactId } = await aContact(ctx);
  const conversationId = await aConversation(ctx, { numberId, contactId });
  await handOver(conversationId, teamId);
  const id = newId('med');
  await rows(
    `insert into media (organization_id, id, name, type, kind, size, sha256, state, number_id, provider_id, conversation_id, created_at)
     values ($1, $2, 'a.jpg', 'image/jpeg', 'image', 3, '', 'kept', $3, $2, $4, now())`,
    [ctx.organizationId, id, numberId, conversationId],
  );
  return id;
}
