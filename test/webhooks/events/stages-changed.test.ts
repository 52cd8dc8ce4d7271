import { beforeAll, describe, expect, it } from '@jest/globals';
import { createDeal, moveDeal } from '../../../src/pipelines/service.ts';
import { aContact } from '../../support/factories/contacts.ts';
import { aConversation } from '../../support/factories/conversations.ts';
import { aNumber } from '../../support/factories/numbers.ts';
import { type APipeline, aPipeline } from '../../support/factories/pipelines.ts';
import { aMessageWebhook } from '../../support/inbound.ts';
import { aMember } from '../../support/members.ts';
import { REFUSE_NO_MORE, refuseEventsWith } from './support/refusing.ts';
import { type Call, eventScene, type Shop } from './support/scene.ts';

const { aShop, arrives, owner } = eventScene();

let shop: Shop;
let pipeline: APipeline;
beforeAll(async () => {
  shop = await aShop();
  pipeline = await aPipeline(shop.ctx);
});

const stage = (name: string): string => pipeline.stages[name] ?? '';
const shown = (name: string, kind: string) => ({ id: stage(name), name, kind });

const eventsOf = async (dealId: string) =>
  (await shop.events('stage.changed')).filter(({ deal }) => deal.id === dealId);

/** A deal of a contact in a conversation, made by the key. */
async function aDeal(wishes: object = {}) {
  const contact_id = (await aContact(shop.ctx)).id;
  const pair = { numberId: shop.numberId, contactId: contact_id };
  const conversation_id = await aConversation(shop.ctx, pair);
  const body = {
    stage_id: stage('Novo'),
    contact_id,
    conversation_id,
    title: 'Cadeira',
    ...wishes,
  };
  const reply = await shop.call('POST', '/deals', body);
  if (reply.status !== 201) throw new TypeError(reply.text);
  return { id: reply.body.id as string, contact_id, conversation_id };
}

const move = (id: string, name: string, call: Call = {}) =>
  shop.call('POST', `/deals/${id}/move`, { stage_id: stage(name) }, call);

const BY_KEY = { type: 'api', id: expect.stringMatching(/^sva_/) };

describe('stage.changed', () => {
  it('tells of a deal that begins, from nowhere', async () => {
    const { id, contact_id, conversation_id } = await aDeal({ value_cents: 89_900 });

    expect(await eventsOf(id)).toEqual([
      {
        deal: { id, title: 'Cadeira', value_cents: 89_900, currency: 'BRL', status: 'open' },
        pipeline: { id: pipeline.id, name: 'Vendas' },
        from: null,
        to: shown('Novo', 'open'),
        changed_by: BY_KEY,
        contact_id,
        conversation_id,
        number_id: shop.numberId,
      },
    ]);
  });

  it('tells of each move by a call or a member, of won, of lost and of open again', async () => {
    const { id, contact_id, conversation_id } = await aDeal();
    const person = await aMember(shop.ctx, { role: 'agent', console: true });
    const as = { key: person.token };

    await move(id, 'Proposta');
    await move(id, 'Ganho', as);
    await move(id, 'Perdido', as);
    await move(id, 'Novo', as);

    const byMember = { type: 'member', id: person.id };
    const place = { contact_id, conversation_id, number_id: shop.numberId };
    expect((await eventsOf(id)).slice(1)).toEqual(
      [
        ['Novo', 'open', 'Proposta', 'open', BY_KEY],
        ['Proposta', 'open', 'Ganho', 'won', byMember],
        ['Ganho', 'won', 'Perdido', 'lost', byMember],
        ['Perdido', 'lost', 'Novo', 'open', byMember],
      ].map(([from, was, to, is, changed_by]) => ({
        deal: { id, title: 'Cadeira', value_cents: null, currency: 'BRL', status: is },
        pipeline: { id: pipeline.id, name: 'Vendas' },
        from: shown(String(from), String(was)),
        to: shown(String(to), String(is)),
        changed_by,
        ...place,
      })),
    );
  });

  it('is not told of a deal that stays, of another reason, of a refused move or of a replayed one', async () => {
    const { id } = await aDeal();
    const { id: other } = await aPipeline(shop.ctx, 'Suporte', 'Aberto:open');
    await move(id, 'Novo');
    for (let round = 0; round < 2; round++)
      await move(id, 'Perdido', { idempotencyKey: `lose-${id}` });
    const reason = { stage_id: stage('Perdido'), lost_reason: 'preço' };

    const replies = [
      await shop.call('POST', `/deals/${id}/move`, reason),
      await shop.call('POST', `/deals/${id}/move`, { stage_id: other }),
    ];

    expect(replies.map(({ status }) => status)).toEqual([200, 422]);
    expect((await eventsOf(id)).map(({ to }) => to.name)).toEqual(['Novo', 'Perdido']);
  });

  it('tells of a newcomer who is placed by a first message, by the service itself', async () => {
    const number = await aNumber(shop.ctx);
    await shop.rows('update numbers set stage_id = $2 where id = $1', [number.id, stage('Novo')]);
    for (const id of ['wamid.p1', 'wamid.p2']) {
      const wire = { id, from: '5511987651001', name: 'Nina' };
      await arrives(aMessageWebhook(number.phoneNumberId ?? '', wire));
    }

    const events = await shop.events('stage.changed');
    const [row] = await shop.rows<{ id: string; contact_id: string }>(
      'select id, contact_id from conversations where number_id = $1',
      [number.id],
    );
    expect(events.filter(({ number_id }) => number_id === number.id)).toMatchObject([
      {
        deal: { title: 'Nina', status: 'open' },
        from: null,
        to: shown('Novo', 'open'),
        changed_by: { type: 'system', id: null },
        contact_id: row?.contact_id,
        conversation_id: row?.id,
      },
    ]);
  });

  it('names the automation that makes a deal, or moves one', async () => {
    const actor = { type: 'automation', id: 'atm_1', name: 'Captura' } as const;
    const contact_id = (await aContact(shop.ctx)).id;
    const deal = await createDeal({ ...shop.ctx, actor }, { stage_id: stage('Novo'), contact_id });

    await moveDeal({ ...shop.ctx, actor }, deal.id, { stage_id: stage('Proposta') });

    const changed_by = { type: 'automation', id: 'atm_1' };
    const nowhere = { conversation_id: null, number_id: null };
    expect(await eventsOf(deal.id)).toMatchObject([
      { from: null, to: shown('Novo', 'open'), changed_by, contact_id, ...nowhere },
      { from: shown('Novo', 'open'), to: shown('Proposta', 'open'), changed_by, ...nowhere },
    ]);
  });

  it('is kept if and only if the change is', async () => {
    const { id } = await aDeal();
    await owner(refuseEventsWith(id));

    const refused = await move(id, 'Ganho');
    const [row] = await shop.rows('select status, stage_id from deals where id = $1', [id]);
    const told = await eventsOf(id);
    await owner(REFUSE_NO_MORE);

    expect(refused.status).toBe(500);
    expect([row, told.length]).toEqual([{ status: 'open', stage_id: stage('Novo') }, 1]);
  });
});
