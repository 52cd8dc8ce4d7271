import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { everyRoute } from '../support/every-route.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const door = opened(() => openDoor({ routes: everyRoute }));
let ctx: Context;
/** Sees the one conversation that is theirs; and somebody who sees all. */
let narrow: string;
let wide: string;
/** The contact of the one conversation, and of the other. */
let mine: string;
let hidden: string;
let numberId: string;

beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  const member = await aMember(ctx, { role: 'agent', visibility: 'assigned' });
  [narrow, wide] = [member.token, (await aMember(ctx)).token];
  numberId = (await aNumber(ctx)).id;
  const pipeline = await aPipeline(ctx);
  const { key } = await anApiKey(ctx);
  const withDeal = async (memberId: string | null): Promise<string> => {
    const { id: contactId } = await aContact(ctx);
    const conversationId = await aConversation(ctx, { numberId, contactId });
    await rowsOf(ctx, 'update conversations set assigned_member_id = $2 where id = $1', [
      conversationId,
      memberId,
    ]);
    const deal = {
      stage_id: pipeline.stages['Novo'],
      contact_id: contactId,
      conversation_id: conversationId,
      title: 'Plano',
      value_cents: 1000,
    };
    expect((await door.api.call('POST', '/api/v1/deals', { key, body: deal })).status).toBe(201);
    return contactId;
  };
  [mine, hidden] = [await withDeal(member.id), await withDeal(null)];
});

const call = (key: string, method: string, path: string, body?: unknown): Promise<Reply> =>
  door.api.call(method, `/api/v1/segments${path}`, { key, ...(body ? { body } : {}) });
const ids = ({ body }: Reply): string[] =>
  (body.sample ?? body.data).map(({ id }: { id: string }) => id);

const DEALS = { field: 'deal.value_cents', op: 'lte', value: 2000 } as const;
const TALKS = { field: 'conversation.status', op: 'eq', value: 'open' } as const;

describe.each([
  ['deals', DEALS],
  ['conversations', TALKS],
])('a rule that asks about %s', (_, rules) => {
  it('is answered by what the member sees of them', async () => {
    const { id } = await aSegment(ctx, { rules });
    const outside = { all: [{ field: 'opted_out', op: 'is', value: false }, { not: rules }] };
    const counts = async (token: string) => {
      const preview = await call(token, 'POST', '/preview', { rules });
      const made = await call(token, 'POST', '/rules', { name: 'Meu', rules });
      const others = await call(token, 'POST', '/preview', { rules: outside });
      return {
        previewed: [preview.body.count, ids(preview)],
        made: made.body.count,
        others: ids(others),
        read: (await call(token, 'GET', `/${id}`)).body.count,
        contacts: ids(await call(token, 'GET', `/${id}/contacts`)),
      };
    };

    const own = { previewed: [1, [mine]], made: 1, others: [hidden], read: 1, contacts: [mine] };
    expect(await counts(narrow)).toEqual(own);
    const both = [hidden, mine];
    const all = { previewed: [2, both], made: 2, others: [], read: 2, contacts: both };
    expect(await counts(wide)).toEqual(all);
  });

  it('is counted for the workspace by everything, which a list tells only those who see that', async () => {
    expect((await call(narrow, 'POST', '/rules', { name: 'Meu', rules })).status).toBe(201);

    expect((await call(wide, 'GET', '')).body.data).toMatchObject([{ count: 2 }]);
    const none = [{ count: null, counted_at: null }];
    expect((await call(narrow, 'GET', '')).body.data).toMatchObject(none);
  });
});

it('A reminder or campaign to such a segment, which says whom it reaches, is made by who sees all of it', async () => {
  const { id: segmentId } = await aSegment(ctx, { rules: DEALS });
  const { id: open } = await aSegment(ctx, {
    rules: { field: 'opted_out', op: 'is', value: false },
  });
  const { key } = await anApiKey(ctx);
  const send = { number_id: numberId, text: 'Oi', target: 'segment' };
  const reminder = { title: 'Oi', repeat: 'daily', time: '09:00', ...send };
  const makes = async (token: string, path: string, body: object, id: string) =>
    await door.api.call('POST', `/api/v1/${path}`, {
      key: token,
      body: { ...body, segment_id: id },
    });
  const { id: memberId, token: narrowed } = await aMember(ctx, {
    role: 'admin',
    visibility: 'assigned',
  });
  await rowsOf(ctx, 'update conversations set assigned_member_id = $2 where contact_id = $1', [
    mine,
    memberId,
  ]);

  for (const [path, body] of [
    ['reminders', reminder],
    ['campaigns', { name: 'Oi', pace: 60, ...send }],
  ] as const) {
    const refused = await makes(narrowed, path, body, segmentId);
    expect([refused.status, refused.body.error]).toMatchObject([
      403,
      { code: 'forbidden', details: { segment_id: segmentId, visibility: 'assigned' } },
    ]);
    expect((await makes(narrowed, path, body, open)).status).toBe(201);
    expect((await makes(key, path, body, segmentId)).status).toBe(201);
  }
});

describe('the rules of a key or an app', () => {
  it.each([
    ['pipelines:read', DEALS],
    ['conversations:read', TALKS],
    ['conversations:read', { field: 'window_open', op: 'is', value: true }],
    ['conversations:read', { field: 'team_id', op: 'empty' }],
    ['conversations:read', { field: 'number_id', op: 'empty' }],
    ['campaigns:read', { field: 'campaign.replied', op: 'not_empty' }],
    ['forms:read', { field: 'form.submitted', op: 'not_empty' }],
    ['automations:read', { field: 'automation.run', op: 'empty' }],
  ] as const)('need the scope %s of what they ask about', async (scope, rules) => {
    const { key } = await anApiKey(ctx, ['segments:read']);
    const { key: may } = await anApiKey(ctx, ['segments:read', scope]);
    const app = await aMember(ctx, { scopes: ['segments:read', 'segments:write'] });
    const body = {
      rules: { any: [{ field: 'opted_out', op: 'is', value: true }, { not: rules }] },
    };

    for (const refused of [
      await call(key, 'POST', '/preview', body),
      await call(app.token, 'POST', '/preview', body),
      await call(app.token, 'POST', '/rules', { ...body, name: 'Meu' }),
    ])
      expect([refused.status, refused.body.error]).toMatchObject([
        403,
        { code: 'forbidden', message: `This needs the scope ${scope}.`, details: { scope } },
      ]);
    expect((await call(may, 'POST', '/preview', body)).status).toBe(200);
    expect(await rowsOf(ctx, 'select 1 from segments')).toEqual([]);
  });

  it('are theirs alone: of a segment that is there, segments:read shows who is in', async () => {
    const { id } = await aSegment(ctx, { rules: DEALS });
    const { key } = await anApiKey(ctx, ['segments:read']);

    expect(ids(await call(key, 'GET', `/${id}/contacts`))).toEqual([hidden, mine]);
    expect((await call(key, 'GET', `/${id}`)).body.count).toBe(2);
  });
});
