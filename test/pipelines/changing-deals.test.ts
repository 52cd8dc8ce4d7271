import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { removeStage } from '../../src/pipelines/managing.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aShop, openPipelineDoor, type Shop } from './support.ts';

let shop: Shop;

const door = opened(openPipelineDoor);
beforeEach(async () => {
  shop = await aShop(door);
});

const change = (id: string, body: object, key?: string) =>
  shop.call('PATCH', `/deals/${id}`, body, key);
const read = async (id: string) => (await shop.call('GET', `/deals/${id}`)).body;

/** A deal in a conversation that only its own team sees. */
async function aHiddenDeal(): Promise<string> {
  const { id: numberId } = await aNumber(shop.ctx);
  const contact_id = (await aContact(shop.ctx)).id;
  const conversation_id = await aConversation(shop.ctx, { numberId, contactId: contact_id });
  return shop.deal({ contact_id, conversation_id });
}

describe('changing a deal', () => {
  it('writes what it names, leaves the rest, and says in the log what was there before', async () => {
    const id = await shop.deal({ title: 'Bolo', value_cents: 45_000 });
    const before = await read(id);

    const reply = await change(id, { value_cents: 52_000, owner_id: shop.ownerId });

    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...before, value_cents: 52_000, owner_id: shop.ownerId });
    expect(await read(id)).toEqual(reply.body);
    const entries = await rowsOf(
      shop.ctx,
      "select target, changes from audit_entries where action = 'deal.updated' and target ->> 'id' = $1",
      [id],
    );
    expect(entries).toEqual([
      {
        target: { type: 'deal', id, name: 'Bolo' },
        changes: [
          { field: 'value_cents', from: 45_000, to: 52_000 },
          { field: 'owner_id', from: null, to: shop.ownerId },
        ],
      },
    ]);
    expect(await shop.changes()).toHaveLength(1);
  });

  it('empties the value and the owner by null, whatever stage it is in', async () => {
    const id = await shop.deal({
      stage_id: shop.stage('Ganho'),
      value_cents: 45_000,
      owner_id: shop.ownerId,
    });

    const reply = await change(id, {
      title: 'Torta',
      value_cents: null,
      currency: 'USD',
      owner_id: null,
    });

    expect(reply.body).toMatchObject({
      title: 'Torta',
      value_cents: null,
      currency: 'USD',
      owner_id: null,
      status: 'won',
    });
  });

  it('leaves nothing in the log when all is so already', async () => {
    const id = await shop.deal({ title: 'Bolo', value_cents: 45_000 });

    const replies = [
      await change(id, { title: 'Bolo', value_cents: 45_000 }),
      await change(id, {}),
    ];

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(await shop.entries(id)).toEqual(['deal.created']);
  });

  it.each([
    ['title', 'min_length', { title: '' }],
    ['title', 'max_length', { title: '✨'.repeat(121) }],
    ['title', 'type', { title: null }],
    ['value_cents', 'min', { value_cents: -1 }],
    ['currency', 'format', { currency: 'reais' }],
    ['stage_id', 'unknown_field', { stage_id: newId('stg') }],
    ['contact_id', 'unknown_field', { contact_id: newId('con') }],
  ])('refuses a wrong %s by the rule %s', async (path, rule, wrong) => {
    const reply = await change(await shop.deal(), wrong);

    expect([reply.status, reply.body.error.details]).toMatchObject([422, [{ path, rule }]]);
  });

  it('refuses an owner who is no member, and changes nothing', async () => {
    const id = await shop.deal({ title: 'Bolo' });

    const reply = await change(id, { title: 'Torta', owner_id: newId('mem') });

    expect([reply.status, reply.body.error.code]).toEqual([422, 'unknown_member']);
    expect((await read(id)).title).toBe('Bolo');
  });

  it('needs a person who may move it and sees it', async () => {
    const hidden = await aHiddenDeal();
    const viewer = await aMember(shop.ctx, { role: 'viewer', console: true });
    const { token: narrow } = await aMember(shop.ctx, { visibility: 'assigned' });

    const refused = [
      await change(hidden, { title: 'Torta' }, viewer.token),
      await change(hidden, { title: 'Torta' }, narrow),
    ];

    expect(refused.map(({ status }) => status)).toEqual([403, 404]);
  });
});

describe('deleting a deal', () => {
  const remove = (id: string, key?: string) => shop.call('DELETE', `/deals/${id}`, undefined, key);

  it('takes it away for good, with its name in the log, and leaves its stage to be removed', async () => {
    const id = await shop.deal({ stage_id: shop.stage('Proposta'), title: 'Bolo' });
    const other = await shop.deal();

    const reply = await remove(id);

    expect([reply.status, reply.body]).toEqual([200, { id, deleted: true }]);
    expect(await shop.entries(id)).toEqual(['deal.created', 'deal.deleted']);
    const list = await shop.call('GET', `/pipelines/${shop.pipeline.id}/deals`);
    expect(list.body.data.map((deal: { id: string }) => deal.id)).toEqual([other]);
    const again = [await remove(id), await change(id, {}), await shop.call('GET', `/deals/${id}`)];
    expect(again.map(({ status }) => status)).toEqual([404, 404, 404]);
    await expect(removeStage(shop.ctx, shop.stage('Proposta'))).resolves.toBeDefined();
  });

  it('lets the contact have another one in the pipeline', async () => {
    const { contactId: contact_id } = shop;
    await remove(await shop.deal({ contact_id }));

    expect(await shop.deal({ contact_id })).toMatch(/^dea_/);
  });

  it('is done once by two who ask at the same time', async () => {
    const id = await shop.deal();

    const replies = await Promise.all([remove(id), remove(id)]);

    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    expect(await shop.entries(id)).toEqual(['deal.created', 'deal.deleted']);
  });

  it('needs a person who may move it and sees it', async () => {
    const hidden = await aHiddenDeal();
    const viewer = await aMember(shop.ctx, { role: 'viewer', console: true });
    const { token: narrow } = await aMember(shop.ctx, { visibility: 'assigned' });

    const refused = [await remove(hidden, viewer.token), await remove(hidden, narrow)];

    expect(refused.map(({ status }) => status)).toEqual([403, 404]);
    expect((await read(hidden)).id).toBe(hidden);
  });
});
