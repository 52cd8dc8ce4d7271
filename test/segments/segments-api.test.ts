import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { newId } from '../../src/ids.ts';
import { segmentRoutes } from '../../src/segments/routes.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { openDoor, type Reply } from '../support/http.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

let ctx: Context;
let member: string;
let key: string;

const door = opened(() => openDoor({ routes: segmentRoutes }));
beforeEach(async () => {
  ({ ctx } = await aWorkspace(door.database));
  ({ token: member } = await aMember(ctx, { role: 'admin' }));
  ({ key } = await anApiKey(ctx));
});

const call = (method: string, path: string, body?: unknown, token = key): Promise<Reply> =>
  door.api.call(method, `/api/v1/segments${path}`, { key: token, ...(body ? { body } : {}) });

const VIP = { field: 'tag', op: 'has_any', value: ['vip'] };

const created = async (rules: unknown = VIP, name = 'Clientes VIP'): Promise<string> => {
  const reply = await call('POST', '/rules', { name, rules }, member);
  if (reply.status !== 201) throw new TypeError(reply.text);
  return reply.body.id;
};

describe('a segment', () => {
  it('is made by a person, answers how many match, and is shown with its rules', async () => {
    await aContact(ctx, { tags: ['VIP'] });
    await aContact(ctx, { tags: ['novo'] });

    const reply = await call('POST', '/rules', { name: 'VIPs', rules: VIP }, member);

    expect([reply.status, reply.body]).toEqual([
      201,
      { id: expect.stringMatching(/^seg_/), count: 1 },
    ]);
    const shown = (await call('GET', `/${reply.body.id}`)).body;
    expect(shown).toEqual({
      id: reply.body.id,
      name: 'VIPs',
      rules: VIP,
      count: 1,
      counted_at: expect.any(String),
      used_by: { campaigns: 0, reminders: 0, automations: 0 },
      status: 'ready',
      created_at: expect.any(String),
    });
    expect((await call('GET', '')).body.data).toMatchObject([{ id: reply.body.id, count: 1 }]);
  });

  it('is never made by an API key', async () => {
    const reply = await call('POST', '/rules', { name: 'VIPs', rules: VIP });

    expect([reply.status, reply.body.error.code]).toEqual([403, 'oauth_required']);
  });

  it('is counted anew when it is read', async () => {
    const id = await created();
    await aContact(ctx, { tags: ['vip'] });

    expect((await call('GET', `/${id}`)).body.count).toBe(1);
    expect((await call('GET', '')).body.data[0].count).toBe(0);
  });

  it('lists who matches now, newest first, with "" where there is nothing, and a cursor that is stable', async () => {
    const id = await created({ field: 'opted_out', op: 'is', value: false });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift((await aContact(ctx, { name: `Cliente ${n}` })).id);
    await rowsOf(ctx, `update contacts set phone = null, phone_key = null where id = $1`, [ids[0]]);

    const one = (await call('GET', `/${id}/contacts?limit=2`)).body;
    await aContact(ctx, { name: 'Veio depois' });
    const two = (await call('GET', `/${id}/contacts?limit=2&cursor=${one.next_cursor}`)).body;
    const rest = (await call('GET', `/${id}/contacts?limit=2&cursor=${two.next_cursor}`)).body;

    const seen = [...one.data, ...two.data, ...rest.data];
    expect(seen.map((contact: { id: string }) => contact.id)).toEqual(ids);
    expect(rest.next_cursor).toBeNull();
    expect(one.data[0]).toEqual({
      id: ids[0],
      name: 'Cliente 4',
      phone: '',
      email: '',
      opted_out: false,
      created_at: expect.any(String),
    });
  });

  it('is previewed without being kept: the count and at most ten of those who match', async () => {
    for (let n = 0; n < 12; n++) await aContact(ctx, { tags: ['VIP'] });

    const { status, body } = await call('POST', '/preview', { rules: VIP });

    expect([status, body.count, body.sample.length]).toEqual([200, 12, 10]);
    expect((await call('GET', '')).body.data).toEqual([]);
  });

  it('is deleted unless something still to come uses it, and then says what', async () => {
    const id = await created();
    const number = await aNumber(ctx);
    const campaign = newId('cmp');
    await rowsOf(
      ctx,
      `insert into campaigns (organization_id, id, name, number_id, target, segment_id, text, created_by, created_at)
       values ($1, $2, 'Aviso', $3, 'segment', $4, 'Oi', '{}', now())`,
      [ctx.organizationId, campaign, number.id, id],
    );

    const become = (status: string): Promise<unknown> =>
      rowsOf(ctx, 'update campaigns set status = $2 where id = $1', [campaign, status]);

    for (const status of ['draft', 'scheduled', 'sending', 'paused']) {
      await become(status);
      const refused = await call('DELETE', `/${id}`);
      const details = { used_by: { campaigns: 1, reminders: 0, automations: 0 } };
      expect([status, refused.body.error]).toMatchObject([status, { code: 'in_use', details }]);
    }
    await become('done');
    const deleted = await call('DELETE', `/${id}`);

    expect([deleted.status, deleted.body]).toEqual([200, { id, deleted: true }]);
    expect((await call('GET', `/${id}`)).status).toBe(404);
  });
});

const nested = (groups: number): unknown => (groups === 0 ? VIP : { all: [nested(groups - 1)] });

describe('rules that are refused', () => {
  it.each([
    ['rules', 'type', 'vip'],
    ['rules.field', 'unknown', { field: 'salary', op: 'eq', value: 'x' }],
    ['rules.field', 'unknown', { field: 'custom.Ação', op: 'eq', value: 'x' }],
    ['rules.field', 'unknown', { field: 'custom.__proto__', op: 'eq', value: 'x' }],
    ['rules.all[2].op', 'enum', { all: [VIP, VIP, { field: 'name', op: 'gt', value: 1 }] }],
    ['rules.any[0].not.value', 'type', { any: [{ not: { field: 'name', op: 'eq', value: 1 } }] }],
    ['rules.value[1]', 'type', { field: 'tag', op: 'has_any', value: ['vip', 1] }],
    ['rules.value', 'min_items', { field: 'tag', op: 'has_any', value: [] }],
    ['rules.value', 'not_applicable', { field: 'name', op: 'empty', value: 'x' }],
    ['rules.value', 'duration', { field: 'birth_date', op: 'day_month_in_next', value: 'P2Y' }],
    ['rules.value', 'duration', { field: 'birth_date', op: 'day_month_in_next', value: 'PT5H' }],
    ['rules.value', 'duration', { field: 'created_at', op: 'in_last', value: '7 days' }],
    ['rules.value', 'format', { field: 'created_at', op: 'before', value: '2026-02-30' }],
    ['rules.value', 'format', { field: 'birth_date', op: 'before', value: '2026-01-01T09:00:00Z' }],
    ['rules.value', 'order', { field: 'deal.value_cents', op: 'between', value: [2, 1] }],
    ['rules.value', 'pair', { field: 'deal.value_cents', op: 'between', value: [2] }],
    ['rules.value', 'enum', { field: 'origin', op: 'eq', value: 'everywhere' }],
    ['rules.value', 'phone', { field: 'phone', op: 'eq', value: '11 98765-4321' }],
    ['rules.value', 'phone', { field: 'phone', op: 'neq', value: '5511987654321' }],
    ['rules.value[1]', 'phone', { field: 'phone', op: 'in', value: ['+5511987654321', 'abc'] }],
    ['rules.value', 'max_length', { field: 'name', op: 'eq', value: '✨'.repeat(201) }],
    ['rules.all', 'min_items', { all: [] }],
    ['rules.any', 'unknown_field', { all: [VIP], any: [VIP] }],
    ['rules.all[0].or', 'unknown_field', { all: [{ ...VIP, or: 1 }] }],
    ['rules.all[0].all[0].all[0].all[0].all', 'max_depth', nested(5)],
    [
      'rules',
      'max_conditions',
      { all: [{ any: Array(26).fill(VIP) }, { any: Array(25).fill(VIP) }] },
    ],
  ])('at %s by the rule %s', async (path, rule, rules) => {
    const reply = await call('POST', '/preview', { rules });

    expect([reply.status, reply.body.error.code]).toEqual([422, 'validation']);
    expect(reply.body.error.details[0]).toMatchObject({ path, rule });
  });

  it('are not those of four groups and fifty conditions', async () => {
    const fifty = { all: Array(50).fill({ not: VIP }) };

    expect((await call('POST', '/preview', { rules: nested(4) })).status).toBe(200);
    expect((await call('POST', '/preview', { rules: fifty })).status).toBe(200);
  });

  it.each([
    'owner_id',
    'number_id',
    'team_id',
    'stage',
    'pipeline',
    'campaign.received',
    'form.submitted',
    'automation.run',
  ])(
    'because the id of %s names nothing here, although another workspace has it',
    async (field) => {
      const { ctx: other, ownerId } = await aWorkspace(door.database);
      const foreign = field === 'owner_id' ? ownerId : (await aNumber(other)).id;
      const value = field === 'owner_id' ? [foreign] : [foreign, 'x'];

      const reply = await call('POST', '/preview', {
        rules: { any: [VIP, { field, op: 'in', value }] },
      });

      expect(reply.body.error).toMatchObject({
        code: 'validation',
        details: value.map((_, n) => ({ path: `rules.any[1].value[${n}]`, rule: 'unknown' })),
      });
    },
  );

  it.each(['number_id', 'campaign.received'])(
    'because the member does not see it: %s',
    async (field) => {
      const number = await aNumber(ctx);
      const campaign = await aCampaign(ctx, {
        number_id: number.id,
        contact_ids: [(await aContact(ctx)).id],
      });
      const { token } = await aMember(ctx, { visibility: 'teams', teams: ['Vendas'] });
      const rules = { field, op: 'eq', value: field === 'number_id' ? number.id : campaign.id };

      expect((await call('POST', '/preview', { rules }, token)).status).toBe(422);
      expect((await call('POST', '/preview', { rules }, member)).status).toBe(200);
    },
  );
});

describe('what is written into rules', () => {
  it.each([
    `'; drop table contacts; --`,
    `x') or true --`,
    '$1',
    '%',
    '_',
    '\\',
    '{"a":1}',
    'ARRAY[1]',
  ])('stays a text: %s matches nobody', async (text) => {
    await aContact(ctx, { name: 'Ana', tags: ['vip'], custom: { city: 'Recife' } });
    for (const rules of [
      { field: 'name', op: 'contains', value: text },
      { field: 'name', op: 'starts_with', value: text },
      { field: 'phone', op: 'contains', value: text },
      { field: 'email', op: 'in', value: [text] },
      { field: 'tag', op: 'has_all', value: [text] },
      { field: 'custom.city', op: 'eq', value: text },
    ])
      expect((await call('POST', '/preview', { rules })).body.count).toBe(0);
  });
});
