import { beforeEach, describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { aShop, openPipelineDoor, type Shop } from './support.ts';

let shop: Shop;

const door = opened(openPipelineDoor);
beforeEach(async () => {
  shop = await aShop(door);
});

describe('moving a deal', () => {
  it('tells from where to where, and how it stands then', async () => {
    const id = await shop.deal();

    const moved = await shop.call('POST', `/deals/${id}/move`, { stage_id: shop.stage('Ganho') });

    expect(moved.status).toBe(200);
    expect(moved.body).toMatchObject({ stage_id: shop.stage('Ganho'), status: 'won' });
    expect(moved.body.closed_at).toBe(moved.body.stage_entered_at);
    expect((await shop.changes())[1]).toMatchObject({
      deal: { id, status: 'won' },
      from: { id: shop.stage('Novo'), name: 'Novo', kind: 'open' },
      to: { id: shop.stage('Ganho'), name: 'Ganho', kind: 'won' },
    });
    expect(await shop.entries(id)).toEqual(['deal.created', 'deal.moved']);
  });

  it('is lost for a reason, which goes when it is opened again', async () => {
    const id = await shop.deal();
    const move = (body: object) => shop.call('POST', `/deals/${id}/move`, body);

    const lost = await move({ stage_id: shop.stage('Perdido'), lost_reason: 'Preço' });
    const back = await move({ stage_id: shop.stage('Proposta') });

    expect(lost.body).toMatchObject({ status: 'lost', lost_reason: 'Preço' });
    expect(back.body).toMatchObject({ status: 'open', lost_reason: null, closed_at: null });
  });

  it('opens no second deal of a contact again, unless a person does', async () => {
    const { contactId: contact_id } = shop;
    const lost = await shop.deal({ contact_id });
    await shop.call('POST', `/deals/${lost}/move`, { stage_id: shop.stage('Perdido') });
    const open = await shop.deal({ contact_id });
    const back = (key?: string) =>
      shop.call('POST', `/deals/${lost}/move`, { stage_id: shop.stage('Novo') }, key);

    const refused = await back();

    expect([refused.status, refused.body.error]).toMatchObject([
      409,
      { code: 'duplicate', details: { deal_id: open } },
    ]);
    const { token } = await aMember(shop.ctx);
    expect((await back(token)).body).toMatchObject({ id: lost, status: 'open' });
  });

  it('keeps one of a contact open when two are opened again at once', async () => {
    const { contactId: contact_id } = shop;
    const closed = [shop.stage('Ganho'), shop.stage('Perdido')];
    const deals: string[] = [];
    for (const stage_id of closed) deals.push(await shop.deal({ contact_id, stage_id }));

    const back = await Promise.all(
      deals.map((id) => shop.call('POST', `/deals/${id}/move`, { stage_id: shop.stage('Novo') })),
    );

    expect(back.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  it('forgets the reason of a loss when it is said to be none, which moves it nowhere anew', async () => {
    const id = await shop.deal();
    const lose = (lost_reason: string | null) =>
      shop.call('POST', `/deals/${id}/move`, { stage_id: shop.stage('Perdido'), lost_reason });
    const lost = (await lose('price')).body;
    expect(lost.lost_reason).toBe('price');

    const { stage_entered_at, closed_at } = lost;
    expect((await lose(null)).body).toMatchObject({
      lost_reason: null,
      stage_entered_at,
      closed_at,
    });
  });

  it('is no change of stage where it is already: nobody is told', async () => {
    const id = await shop.deal();

    const same = await shop.call('POST', `/deals/${id}/move`, { stage_id: shop.stage('Novo') });

    expect(same.status).toBe(200);
    expect(await shop.changes()).toHaveLength(1);
    expect(await shop.entries(id)).toEqual(['deal.created']);
  });

  it('stays within the pipeline', async () => {
    const id = await shop.deal();
    const other = await aPipeline(shop.ctx, 'Encomendas');

    const away = await shop.call('POST', `/deals/${id}/move`, { stage_id: other.stages['Novo'] });

    expect([away.status, away.body.error.code]).toEqual([422, 'unknown_stage']);
    expect((await shop.call('GET', `/deals/${id}`)).body.stage_id).toBe(shop.stage('Novo'));
  });

  it('refuses a reason for anything but a loss', async () => {
    const id = await shop.deal();

    const reply = await shop.call('POST', `/deals/${id}/move`, {
      stage_id: shop.stage('Ganho'),
      lost_reason: 'Preço',
    });

    expect(reply.body.error.details).toMatchObject([
      { path: 'lost_reason', rule: 'not_applicable' },
    ]);
  });

  it('needs a person who may move: a viewer only looks', async () => {
    const viewer = await aMember(shop.ctx, { role: 'viewer', console: true });
    const id = await shop.deal();

    const seen = await shop.call('GET', `/deals/${id}`, undefined, viewer.token);
    const moved = await shop.call(
      'POST',
      `/deals/${id}/move`,
      { stage_id: shop.stage('Ganho') },
      viewer.token,
    );

    expect(seen.status).toBe(200);
    expect(moved.status).toBe(403);
    expect(moved.body.error.details).toEqual({ permission: 'pipelines.move' });
  });
});

const idsOf = (reply: { body: { data: { id: string }[] } }): string[] =>
  reply.body.data.map(({ id }) => id);

describe('the deals of a pipeline', () => {
  it('are listed newest first, page by page, and filtered by status, stage, owner and contact', async () => {
    const mine = await shop.deal({ owner_id: shop.ownerId });
    const won = await shop.deal({ stage_id: shop.stage('Ganho') });
    const offered = await shop.deal({ stage_id: shop.stage('Proposta') });
    const list = (query: string) =>
      shop.call('GET', `/pipelines/${shop.pipeline.id}/deals${query}`);

    const first = await list('?limit=2');
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);

    expect([...idsOf(first), ...idsOf(second)]).toEqual([offered, won, mine]);
    expect(second.body.next_cursor).toBeNull();
    expect(idsOf(await list('?status=won'))).toEqual([won]);
    expect(idsOf(await list('?status=open'))).toEqual([offered, mine]);
    expect(idsOf(await list(`?stage_id=${shop.stage('Proposta')}`))).toEqual([offered]);
    expect(idsOf(await list(`?owner_id=${shop.ownerId}&status=won`))).toEqual([]);
    expect(idsOf(await list(`?owner_id=${shop.ownerId}`))).toEqual([mine]);
    const { contact_id } = (await shop.call('GET', `/deals/${won}`)).body;
    expect(idsOf(await list(`?contact_id=${contact_id}`))).toEqual([won]);
    expect(idsOf(await list(`?contact_id=${contact_id}&status=open`))).toEqual([]);
  });

  it('are those of this pipeline alone', async () => {
    const other = await aPipeline(shop.ctx, 'Encomendas');
    await shop.deal();

    const reply = await shop.call('GET', `/pipelines/${other.id}/deals`);

    expect(reply.body).toEqual({ data: [], next_cursor: null });
  });
});

describe('a member who sees only what is assigned', () => {
  it('finds the deals of these conversations and those without any, and no others', async () => {
    const { id: numberId } = await aNumber(shop.ctx);
    const contact_id = (await aContact(shop.ctx)).id;
    const conversation_id = await aConversation(shop.ctx, { numberId, contactId: contact_id });
    const hidden = await shop.deal({ contact_id, conversation_id });
    const free = await shop.deal();
    const { token } = await aMember(shop.ctx, { visibility: 'assigned' });
    const { token: all } = await aMember(shop.ctx);
    const ask = (path: string, body?: object) =>
      shop.call(body ? 'POST' : 'GET', path, body, token);

    const list = await ask(`/pipelines/${shop.pipeline.id}/deals`);
    const answers = [
      await ask(`/deals/${hidden}`),
      await ask(`/deals/${hidden}/move`, { stage_id: shop.stage('Ganho') }),
    ];
    const created = await ask('/deals', {
      stage_id: shop.stage('Novo'),
      contact_id,
      conversation_id,
    });

    expect(idsOf(list)).toEqual([free]);
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect(created.body.error.code).toBe('unknown_conversation');
    expect((await shop.call('GET', `/deals/${hidden}`, undefined, all)).status).toBe(200);
  });
});
