import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
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
    const [mine, hidden] = [await personOf(ours), await personOf(theirs)];
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
    const [mine, hidden] = [await personOf(ours), await personOf(theirs)];
    await rows(
      "update conversations set window_expires_at = now() + interval '1 hour' where true",
      [],
    );
    const tested = (phone: string) => call(narrow, 'POST', `/campaigns/${id}/test`, { phone });

    expect(await tested(hidden.phone)).toEqual([404, 'not_found']);
    expect(await tested(mine.phone)).toEqual([200, null]);
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
});
