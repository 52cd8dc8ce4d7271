import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { numberRoutes } from '../../src/numbers/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { aMember, type TestMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { auditOf, rowsOf } from '../support/rows-of.ts';

const door = opened(() => openDoor({ routes: numberRoutes }));
let ctx: Context;
let key: string;
let sales: string;
let support: string;
let number: string;

// Its own workspace each: a plan has no more than 20 numbers.
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  ({ key } = await anApiKey(ctx));
  const member = await aMember(ctx, { teams: ['Vendas', 'Suporte'] });
  [sales, support] = member.teamIds as [string, string];
  number = (await aNumber(ctx, { name: 'Loja' })).id;
});

const patch = (body: unknown, by: string = key): Promise<Reply> =>
  door.api.call('PATCH', `/api/v1/numbers/${number}`, { key: by, body });
const read = (by: string = key): Promise<Reply> =>
  door.api.call('GET', `/api/v1/numbers/${number}`, { key: by });
const entries = async () => (await auditOf(ctx, number)).slice(1);

const open = { open: true, from: '09:00', to: '18:00' };
const closed = { open: false, from: '00:00', to: '00:00' };
const WEEK = [open, open, open, open, open, closed, closed];

describe('changing a number', () => {
  it('changes each of its fields, answers the record, and is audited field by field', async () => {
    const body = { name: 'Balcão', team_ids: [sales], default_team_id: sales, hours: WEEK };

    const reply = await patch(body);

    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ id: number, status: 'connected', ...body });
    expect((await read()).body).toEqual(reply.body);
    expect(await entries()).toEqual([
      {
        action: 'number.updated',
        changes: [
          { field: 'name', from: 'Loja', to: 'Balcão' },
          { field: 'team_ids', from: [], to: [sales] },
          { field: 'default_team_id', from: null, to: sales },
          {
            field: 'hours',
            from: null,
            to: [...Array(5).fill('09:00 to 18:00'), ...Array(2).fill('closed (00:00 to 00:00)')],
          },
        ],
      },
    ]);
  });

  it('keeps the hours of a closed day, though they are all that changes', async () => {
    await patch({ hours: WEEK });
    const hours = WEEK.map((day) => (day.open ? day : { open: false, from: '10:00', to: '14:00' }));

    expect((await patch({ hours })).body.hours).toEqual(hours);
    const { body } = await read();
    expect(body.hours).toEqual(hours);
    expect(body.hours.map(Object.keys)).toEqual(Array(7).fill(['open', 'from', 'to']));
  });

  it('leaves alone what the body leaves out, and an empty body changes nothing', async () => {
    await patch({ team_ids: [sales, support], default_team_id: support, hours: WEEK });
    const before = (await read()).body;

    const nothing = await patch({});
    const renamed = await patch({ name: 'Outra' });
    const same = await patch({ name: 'Outra', team_ids: [support, sales] });

    expect(nothing.body).toEqual(before);
    expect(renamed.body).toEqual({ ...before, name: 'Outra' });
    expect(same.body).toEqual(renamed.body);
    expect(await entries()).toHaveLength(2);
  });

  it('has a team once, however often the body names it', async () => {
    const { status, body } = await patch({ team_ids: [support, sales, support] });

    expect([status, body.team_ids]).toEqual([200, [sales, support].toSorted()]);
    expect((await read()).body).toEqual(body);
  });

  it('opens always again with null', async () => {
    await patch({ hours: WEEK });

    expect((await patch({ hours: null })).body.hours).toBeNull();
    expect((await read()).body.hours).toBeNull();
  });

  it('names a stage for new people, and none with null', async () => {
    const { stages } = await aPipeline(ctx);

    const named = await patch({ stage_id: stages['Novo'] });
    const none = await patch({ stage_id: null });

    expect([named.body.stage_id, none.body.stage_id]).toEqual([stages['Novo'], null]);
    expect((await read()).body.stage_id).toBeNull();
  });

  it('never touches the connection', async () => {
    for (const field of ['status', 'phone', 'phone_number_id', 'access_token', 'provider', 'id']) {
      const reply = await patch({ name: 'x', [field]: 'connected' });
      expect(reply.status).toBe(422);
      expect(reply.body.error.details).toMatchObject([{ path: field, rule: 'unknown_field' }]);
    }
    expect((await read()).body.name).toBe('Loja');
  });
});

describe('a wrong field', () => {
  const id = 'team_01JD8B6V0R5Q9T3XK2M7N4P1WZ';
  const days = (count: number): unknown[] => Array(count).fill(open);
  it.each<[string, unknown, string]>([
    ['an empty name', { name: '' }, 'name'],
    ['a name of 61', { name: 'é'.repeat(61) }, 'name'],
    ['a name that is null', { name: null }, 'name'],
    ['no teams', { team_ids: [] }, 'team_ids'],
    ['101 teams', { team_ids: Array(101).fill(id) }, 'team_ids'],
    ['an empty team', { team_ids: [''] }, 'team_ids[0]'],
    ['a default team of null', { default_team_id: null }, 'default_team_id'],
    ['an endless default team', { default_team_id: 'x'.repeat(101) }, 'default_team_id'],
    ['a stage that is a number', { stage_id: 1 }, 'stage_id'],
    ['six days', { hours: days(6) }, 'hours'],
    ['eight days', { hours: days(8) }, 'hours'],
    ['no days', { hours: [] }, 'hours'],
    [
      'a day without open',
      { hours: [{ from: '09:00', to: '18:00' }, ...days(6)] },
      'hours[0].open',
    ],
    ['24:00', { hours: [...days(6), { ...open, to: '24:00' }] }, 'hours[6].to'],
    ['9:00', { hours: [...days(6), { ...open, from: '9:00' }] }, 'hours[6].from'],
    ['seconds', { hours: [...days(6), { ...open, from: '09:00:00' }] }, 'hours[6].from'],
    ['a day with more in it', { hours: [...days(6), { ...open, day: 7 }] }, 'hours[6].day'],
  ])('is named, and nothing changes: %s', async (_, body, path) => {
    const before = (await read()).body;

    const reply = await patch(body);

    expect([reply.status, reply.body.error.code]).toEqual([422, 'validation']);
    expect(reply.body.error.details).toContainEqual(expect.objectContaining({ path }));
    expect((await read()).body).toEqual(before);
    expect(await entries()).toEqual([]);
  });

  it.each<[string, () => unknown, string]>([
    ['a team that is not there', () => ({ team_ids: [sales, newId('team')] }), 'unknown_team'],
    ['a default outside its teams', () => ({ default_team_id: sales }), 'team_not_in_number'],
    [
      'a default outside its new teams',
      () => ({ team_ids: [support], default_team_id: sales }),
      'team_not_in_number',
    ],
    ['a stage that is not there', () => ({ stage_id: newId('stg') }), 'unknown_stage'],
  ])('is refused with its own code: %s', async (_, body, code) => {
    const reply = await patch({ name: 'Never', ...(body() as object) });

    expect([reply.status, reply.body.error.code]).toEqual([422, code]);
    expect((await read()).body).toMatchObject({ name: 'Loja', team_ids: [] });
  });

  it('is taking its default team away from a number', async () => {
    await patch({ team_ids: [sales], default_team_id: sales });

    const reply = await patch({ team_ids: [support] });

    expect(reply.body.error.code).toBe('team_not_in_number');
    expect((await read()).body.team_ids).toEqual([sales]);
  });
});

describe('a member', () => {
  const listed = async ({ token }: TestMember): Promise<string[]> => {
    const reply = await door.api.call('GET', '/api/v1/numbers?limit=100', { key: token });
    return reply.body.data.map((row: { id: string }) => row.id);
  };

  it('of the teams of a number sees it, and of no other', async () => {
    const inside = await aMember(ctx, { visibility: 'teams', teams: ['Vendas'] });
    const outside = await aMember(ctx, { visibility: 'teams', teams: ['Suporte'] });
    await patch({ team_ids: [sales] });

    expect((await read(inside.token)).status).toBe(200);
    expect((await read(outside.token)).body.error.code).toBe('not_found');
    expect(await listed(inside)).toContain(number);
    expect(await listed(outside)).not.toContain(number);
  });

  it.each(['teams', 'assigned'] as const)(
    'who sees %s sees the number of a conversation of theirs',
    async (visibility) => {
      const person = await aMember(ctx, { visibility, teams: ['Suporte'] });
      const { id: contactId } = await aContact(ctx);
      const id = await aConversation(ctx, { numberId: number, contactId });
      expect(await listed(person)).not.toContain(number);

      await rowsOf(ctx, 'update conversations set assigned_member_id = $2 where id = $1', [
        id,
        person.id,
      ]);

      expect((await read(person.token)).status).toBe(200);
      expect(await listed(person)).toContain(number);
    },
  );

  it('changes a number only with numbers.manage, and only one in sight', async () => {
    const agent = await aMember(ctx, { role: 'agent' });
    const blind = await aMember(ctx, { role: 'admin', visibility: 'teams' });
    const admin = await aMember(ctx, { role: 'admin' });

    const refused = await patch({ name: 'A' }, agent.token);
    const missing = await patch({ name: 'B' }, blind.token);
    const done = await patch({ name: 'C' }, admin.token);

    expect(refused.body.error).toMatchObject({
      code: 'forbidden',
      details: { permission: 'numbers.manage' },
    });
    expect(missing.status).toBe(404);
    expect(done.body.name).toBe('C');
  });
});
