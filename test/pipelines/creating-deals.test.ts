import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
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

describe('creating a deal', () => {
  it('answers 201 with every field, says so to subscribers, and writes the log', async () => {
    const { id: numberId } = await aNumber(shop.ctx);
    const conversationId = await aConversation(shop.ctx, { numberId, contactId: shop.contactId });

    const reply = await shop.call('POST', '/deals', {
      stage_id: shop.stage('Novo'),
      contact_id: shop.contactId,
      conversation_id: conversationId,
      title: 'Bolo de casamento',
      value_cents: 45_000,
      owner_id: shop.ownerId,
    });

    expect(reply.status).toBe(201);
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^dea_/),
      pipeline_id: shop.pipeline.id,
      stage_id: shop.stage('Novo'),
      contact_id: shop.contactId,
      conversation_id: conversationId,
      title: 'Bolo de casamento',
      value_cents: 45_000,
      currency: 'BRL',
      owner_id: shop.ownerId,
      status: 'open',
      lost_reason: null,
      stage_entered_at: expect.any(String),
      closed_at: null,
      created_at: expect.any(String),
    });
    expect(await shop.changes()).toEqual([
      {
        deal: {
          id: reply.body.id,
          title: 'Bolo de casamento',
          value_cents: 45_000,
          currency: 'BRL',
          status: 'open',
        },
        pipeline: { id: shop.pipeline.id, name: 'Vendas' },
        from: null,
        to: { id: shop.stage('Novo'), name: 'Novo', kind: 'open' },
        changed_by: { type: 'api', id: expect.stringMatching(/^sva_/) },
        contact_id: shop.contactId,
        conversation_id: conversationId,
        number_id: numberId,
      },
    ]);
    expect(await shop.entries(reply.body.id)).toEqual(['deal.created']);
  });

  it('is called like its contact when it has no title', async () => {
    const { id: contact_id } = await aContact(shop.ctx, { name: 'Bia Lima' });

    const id = await shop.deal({ contact_id });

    expect((await shop.call('GET', `/deals/${id}`)).body.title).toBe('Bia Lima');
  });

  it('is closed from the start in a stage that ends it', async () => {
    const id = await shop.deal({ stage_id: shop.stage('Perdido'), lost_reason: 'Preço' });

    const { body } = await shop.call('GET', `/deals/${id}`);
    expect(body).toMatchObject({ status: 'lost', lost_reason: 'Preço' });
    expect(body.closed_at).not.toBeNull();
  });

  it('refuses a key a second open deal of a contact in a pipeline, and names the first', async () => {
    const deal = { stage_id: shop.stage('Novo'), contact_id: shop.contactId };
    const first = await shop.call('POST', '/deals', deal);

    const second = await shop.call('POST', '/deals', { ...deal, stage_id: shop.stage('Proposta') });
    const other = await aPipeline(shop.ctx, 'Encomendas');
    const elsewhere = await shop.call('POST', '/deals', {
      ...deal,
      stage_id: other.stages['Novo'],
    });
    await shop.call('POST', `/deals/${first.body.id}/move`, { stage_id: shop.stage('Ganho') });
    const afterWon = await shop.call('POST', '/deals', deal);

    expect(second.status).toBe(409);
    expect(second.body.error).toMatchObject({
      code: 'duplicate',
      details: { deal_id: first.body.id },
    });
    expect([elsewhere.status, afterWon.status]).toEqual([201, 201]);
  });

  it('lets one of two keys in that ask at once', async () => {
    const deal = { stage_id: shop.stage('Novo'), contact_id: shop.contactId };

    const replies = await Promise.all(
      Array.from({ length: 6 }, () => shop.call('POST', '/deals', deal)),
    );

    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await shop.changes()).toHaveLength(1);
  });

  it('leaves it to a person to open a second one', async () => {
    const person = await aMember(shop.ctx);
    const deal = { stage_id: shop.stage('Novo'), contact_id: shop.contactId };
    await shop.call('POST', '/deals', deal);

    const second = await shop.call('POST', '/deals', deal, person.token);

    expect(second.status).toBe(201);
    expect((await shop.changes())[1]?.['changed_by']).toEqual({ type: 'member', id: person.id });
  });

  it.each([
    ['unknown_stage', { stage_id: newId('stg') }],
    ['unknown_contact', { contact_id: newId('con') }],
    ['unknown_conversation', { conversation_id: newId('cnv') }],
    ['unknown_member', { owner_id: newId('mem') }],
  ])('refuses what it does not know: %s, and changes nothing', async (code, wrong) => {
    const deal = { stage_id: shop.stage('Novo'), contact_id: shop.contactId, ...wrong };

    const reply = await shop.call('POST', '/deals', deal);

    expect([reply.status, reply.body.error.code]).toEqual([422, code]);
    expect(reply.body.error.details).toEqual(wrong);
    expect(await shop.changes()).toEqual([]);
  });

  it('takes no conversation of somebody else', async () => {
    const { id: numberId } = await aNumber(shop.ctx);
    const stranger = await aContact(shop.ctx);
    const conversation_id = await aConversation(shop.ctx, { numberId, contactId: stranger.id });

    const reply = await shop.call('POST', '/deals', {
      stage_id: shop.stage('Novo'),
      contact_id: shop.contactId,
      conversation_id,
    });

    expect(reply.body.error.code).toBe('unknown_conversation');
  });

  it.each([
    ['stage_id', 'required', { stage_id: undefined }],
    ['title', 'min_length', { title: '' }],
    ['title', 'max_length', { title: '✨'.repeat(121) }],
    ['value_cents', 'min', { value_cents: -1 }],
    ['value_cents', 'type', { value_cents: 1.5 }],
    ['currency', 'format', { currency: 'reais' }],
    ['lost_reason', 'not_applicable', { lost_reason: 'Preço' }],
    ['pipeline_id', 'unknown_field', { pipeline_id: newId('pip') }],
  ])('refuses a wrong %s by the rule %s', async (path, rule, wrong) => {
    const deal = { stage_id: shop.stage('Novo'), contact_id: shop.contactId, ...wrong };

    const reply = await shop.call('POST', '/deals', deal);

    expect(reply.status).toBe(422);
    expect(reply.body.error).toMatchObject({ code: 'validation', details: [{ path, rule }] });
  });
});
