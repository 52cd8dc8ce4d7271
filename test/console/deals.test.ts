import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { changeDeal } from '../../src/pipelines/changing.ts';
import { getDeal } from '../../src/pipelines/reading.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { aMember } from '../support/members.ts';
import { filledIn, formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let sales: APipeline;
beforeAll(async () => {
  scene = await aConsoleScene();
  sales = await aPipeline(scene.ctx);
});
afterAll(() => scene?.close());

const aDeal = async (wishes: object = {}): Promise<{ id: string; address: string }> => {
  const stage_id = sales.stages['Proposta'] ?? '';
  const contact_id = (await aContact(scene.ctx)).id;
  const deal = { contact_id, stage_id, title: 'Bolo', value_cents: 125_050, ...wishes };
  const { id } = await createDeal(scene.ctx, deal);
  return { id, address: `${scene.base}/deals/${id}` };
};

const stored = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    getDeal({ ...scene.ctx, sql }, id),
  );

describe('a deal’s page', () => {
  it('changes what was written in its form, and nothing that a colleague changed meanwhile', async () => {
    const { agent } = scene.people;
    const { id: owner_id } = await aMember(scene.ctx, { role: 'agent' });
    const { id, address } = await aDeal();
    const shown = filledIn((await agent.get(address)).text, 'change');
    expect(shown).toMatchObject({ title: 'Bolo', value_cents: '1250.50', owner_id: '' });
    await changeDeal(scene.ctx, id, { title: 'Torta' });

    const saved = await agent.send(address, 'change', { ...shown, value_cents: '99,9', owner_id });

    expect([saved.status, saved.headers.get('location')]).toEqual([303, address]);
    expect(await stored(id)).toMatchObject({ title: 'Torta', value_cents: 9_990, owner_id });
    const again = filledIn((await agent.get(address)).text, 'change');
    await agent.send(address, 'change', { ...again, value_cents: '', owner_id: '' });
    expect(await stored(id)).toMatchObject({ title: 'Torta', value_cents: null, owner_id: null });
  });

  it('keeps what was written when it is refused, and leaves the other form as it was', async () => {
    const { agent } = scene.people;
    const { id, address } = await aDeal();
    const shown = filledIn((await agent.get(address)).text, 'change');
    const wish = { ...shown, title: 'Torta', value_cents: 'muito' };

    const refused = await agent.send(address, 'change', wish);

    expect([refused.status, refused.text.includes('<a href="#f-value-cents">')]).toEqual([
      422,
      true,
    ]);
    expect(filledIn(refused.text, 'change')).toEqual(wish);
    expect(filledIn(refused.text, 'move')).toMatchObject({ stage_id: sales.stages['Proposta'] });
    const nameless = await agent.send(address, 'change', { ...shown, title: ' ' });
    expect([nameless.status, nameless.text.includes('<a href="#f-title">')]).toEqual([422, true]);
    expect(await stored(id)).toMatchObject({ title: 'Bolo', value_cents: 125_050 });
  });

  it.each([
    ['pt-BR', '1.234,50', 123_450],
    ['pt-BR', '1.234', 123_400],
    ['pt-BR', '1250.00', 125_000],
    ['en', '1,234.50', 123_450],
    ['en', '1.234', null],
    ['en', '-5', null],
    ['en', '999,999,999,999', 99_999_999_999_900],
    ['en', '1,000,000,000,000', null],
  ])('reads a value as people write it in %s: %s', async (language, written, cents) => {
    const { agent } = scene.people;
    const { id, address } = await aDeal({ value_cents: null });
    const said = { 'accept-language': language };
    const shown = formIn((await agent.get(address, said)).text, 'change');

    const saved = await agent.post(address, { ...shown, value_cents: written }, said);

    expect(saved.status).toBe(cents === null ? 422 : 303);
    expect(await stored(id)).toMatchObject({ value_cents: cents });
  });

  it('says in which currency the value is, and changes it; no other than three letters are one', async () => {
    const { agent } = scene.people;
    const { id, address } = await aDeal({ currency: 'EUR' });
    const shown = filledIn((await agent.get(address)).text, 'change');
    const wrong = { ...shown, currency: 'dollars' };

    const refused = await agent.send(address, 'change', wrong);
    const saved = await agent.send(address, 'change', { ...shown, currency: ' usd ' });

    expect([shown['currency'], refused.status, saved.status]).toEqual(['EUR', 422, 303]);
    expect(refused.text).toContain('<a href="#f-currency">');
    expect(filledIn(refused.text, 'change')).toEqual(wrong);
    expect(await stored(id)).toMatchObject({ value_cents: 125_050, currency: 'USD' });
  });

  it('names the currency of the value, and keeps an owner who can have no conversations', async () => {
    const { agent } = scene.people;
    const { id: owner_id } = await aMember(scene.ctx, { role: 'viewer', console: true });
    const { id, address } = await aDeal({ currency: 'USD', owner_id });

    const shown = filledIn((await agent.get(address)).text, 'change');
    await agent.send(address, 'change', { ...shown, value_cents: '10' });

    expect(shown['currency']).toBe('USD');
    expect(await stored(id)).toMatchObject({ value_cents: 1_000, currency: 'USD', owner_id });
  });

  it('deletes it after a second look, once', async () => {
    const { agent } = scene.people;
    const { id, address } = await aDeal();
    const shown = filledIn((await agent.get(address)).text, 'delete');

    const gone = await agent.send(address, 'delete', shown);

    const board = `${scene.base}/pipelines/${sales.id}`;
    expect([gone.status, gone.headers.get('location')]).toEqual([303, board]);
    expect((await agent.get(board)).text).not.toContain(id);
    expect((await agent.get(address)).status).toBe(404);
  });

  it('offers neither to a Viewer', async () => {
    const { viewer } = scene.people;
    const { id, address } = await aDeal();

    const tries = [
      await viewer.send(address, 'change', { title: 'Torta' }),
      await viewer.send(address, 'delete', {}),
    ];

    expect((await viewer.get(address)).text).not.toContain('name="action"');
    expect(tries.map(({ status }) => status)).toEqual([403, 403]);
    expect((await stored(id)).title).toBe('Bolo');
  });
});

it('a new deal is in reais, or in the currency of the one before it in the pipeline', async () => {
  const { agent } = scene.people;
  const trips = await aPipeline(scene.ctx, 'Viagens');
  const { id: contact_id } = await aContact(scene.ctx);
  const page = `${scene.base}/pipelines/${trips.id}/deals/new`;
  const asked = async () => filledIn((await agent.get(page)).text, 'create')['currency'];
  const wish = { stage_id: trips.stages['Novo'] ?? '', contact_id, value_cents: '99.90' };

  const first = await asked();
  const refused = await agent.send(page, 'create', { ...wish, currency: '€' });
  const made = await agent.send(page, 'create', { ...wish, currency: 'EUR' });

  expect([first, refused.status, filledIn(refused.text, 'create')['currency']]).toEqual([
    'BRL',
    422,
    '€',
  ]);
  const id = made.headers.get('location')?.split('/').at(-1) ?? '';
  expect(await stored(id)).toMatchObject({ value_cents: 9_990, currency: 'EUR' });
  expect(await asked()).toBe('EUR');
});

describe('the deals of a contact', () => {
  it('stand on the contact’s page, and the open ones in a conversation with them', async () => {
    const { viewer } = scene.people;
    const { id: numberId } = await aNumber(scene.ctx);
    const { id: contact_id } = await aContact(scene.ctx);
    const talk = await aConversation(scene.ctx, { numberId, contactId: contact_id });
    const cakes = await aPipeline(scene.ctx, 'Encomendas <b>');
    const won = await aDeal({ contact_id, stage_id: sales.stages['Ganho'], title: 'Torta' });
    const first = await aDeal({ contact_id, title: 'Bolo <azul>' });
    const second = await aDeal({ contact_id, stage_id: cakes.stages['Novo'], value_cents: null });
    const other = await aDeal();
    const pageOf = async (path: string) => (await viewer.get(`${scene.base}${path}`)).text;

    const onContact = await pageOf(`/contacts/${contact_id}`);
    const inTalk = await pageOf(`/inbox/${talk}`);

    const list = /<h2>Deals<\/h2><ul>(.*?)<\/ul>/s.exec(onContact)?.[1]?.split('</li>');
    expect(list).toEqual([
      `<li><a href="${second.address}">Bolo</a> Encomendas &lt;b&gt;: Novo`,
      expect.stringMatching(/Bolo &lt;azul&gt;<\/a> Vendas: Proposta, R\$\s?1,250\.50$/),
      expect.stringMatching(/Torta<\/a> Vendas: Ganho, .*won<\/span>$/),
      '',
    ]);
    expect(inTalk).toMatch(
      RegExp(`<dt>Deals</dt><dd><a href="${second.address}">.*<br><a href="${first.address}">`),
    );
    for (const { id } of [won, other]) expect(inTalk).not.toContain(id);
    expect(onContact).not.toContain(other.id);
    expect(await pageOf(`/contacts/${(await aContact(scene.ctx)).id}`)).not.toContain('Deals</h2>');
  });

  it('are shown only to whoever sees their conversations', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id: contact_id } = await aContact(scene.ctx);
    const conversation_id = await aConversation(scene.ctx, { numberId, contactId: contact_id });
    const hidden = await aDeal({ contact_id, conversation_id });
    const { id } = await aMember(scene.ctx, { role: 'agent', visibility: 'assigned' });
    const narrow = await scene.visitor(id);

    const board = `${scene.base}/pipelines/${sales.id}`;
    for (const page of [`${scene.base}/contacts/${contact_id}`, board, `${board}/deals`]) {
      const { status, text } = await narrow.get(page);
      expect([page, status, text.includes(hidden.id)]).toEqual([page, 200, false]);
      expect((await scene.people.agent.get(page)).text).toContain(hidden.address);
    }
  });
});

it('the board shows in a column what came last into it: an old deal that is moved into a full one', async () => {
  const { agent } = scene.people;
  const { id: contact_id } = await aContact(scene.ctx);
  const { id, stages } = await aPipeline(scene.ctx, 'Festas');
  const board = `${scene.base}/pipelines/${id}`;
  const stage_id = stages['Perdido'] ?? '';
  const old = await aDeal({ stage_id: stages['Novo'] });
  const full: string[] = [];
  const fill = async () => full.push((await aDeal({ contact_id, stage_id })).id);
  for (let n = 0; n < 20; n += 1) await fill();
  expect((await agent.get(board)).text).not.toContain('All deals of this stage');
  await fill();

  const moved = await agent.send(board, 'move', { id: old.id, stage_id });

  expect(moved.headers.get('location')).toBe(`${board}#${old.id}`);
  const { text } = await agent.get(board);
  const column = text.slice(text.indexOf(`id="${stage_id}"`));
  const shown = [...column.matchAll(/<li id="(dea_\w+)">/g)].map(([, id]) => id);
  expect(shown).toEqual([old.id, ...full.toReversed().slice(0, 19)]);
  expect(column).toContain('All deals of this stage');
});
