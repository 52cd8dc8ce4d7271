import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { getDeal, getPipeline } from '../../src/pipelines/reading.ts';
import { createDeal } from '../../src/pipelines/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
let sales: APipeline;
let contactId: string;
beforeAll(async () => {
  scene = await aConsoleScene();
  sales = await aPipeline(scene.ctx);
  contactId = (await aContact(scene.ctx, { name: 'Ana Souza' })).id;
});
afterAll(() => scene?.close());

const reading = <T>(work: (ctx: typeof scene.ctx) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => work({ ...scene.ctx, sql }));

const stagesOf = (id: string): Promise<string[]> =>
  reading(async (ctx) => (await getPipeline(ctx, id)).stages.map(({ name }) => name));

const aDeal = (title: string) =>
  createDeal(scene.ctx, {
    contact_id: contactId,
    stage_id: sales.stages['Novo'] ?? '',
    title,
    value_cents: 125_050,
  });

describe('pipelines', () => {
  const list = (): string => `${scene.base}/pipelines`;

  it('are created, renamed and arranged', async () => {
    const { admin } = scene.people;
    const made = await admin.send(`${list()}/new`, 'create', {
      name: 'Obras',
      open: 'Visita\r\nOrçamento\r\n\r\n',
      won: 'Fechado',
      lost: 'Perdido',
    });
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect(made.status).toBe(303);
    expect(await stagesOf(id)).toEqual(['Visita', 'Orçamento', 'Fechado', 'Perdido']);
    const page = `${address}/stages`;
    const { stages } = await reading((ctx) => getPipeline(ctx, id));
    const [first, second] = stages.map((stage) => stage.id);

    const steps = [
      await admin.send(page, 'rename', { name: 'Obras e reformas' }),
      await admin.send(page, 'add', { id: 'new', name: 'Contrato', kind: 'open' }),
      await admin.send(page, 'move', { id: second ?? '', place: '1' }),
      await admin.send(page, 'rename-stage', { id: second ?? '', name: 'Proposta' }),
      await admin.send(page, 'remove', { id: first ?? '' }),
    ];
    expect(steps.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    expect(await stagesOf(id)).toEqual(['Proposta', 'Contrato', 'Fechado', 'Perdido']);
    expect((await admin.get(list())).text).toContain(`href="${address}">Obras e reformas</a>`);
  });

  it('say what is wrong with a name or an order, and change nothing', async () => {
    const { admin } = scene.people;
    const page = `${list()}/${sales.id}/stages`;
    const before = await stagesOf(sales.id);
    const won = sales.stages['Ganho'] ?? '';

    const none = await admin.send(`${list()}/new`, 'create', { name: 'X', open: '', won: 'Y' });
    expect([none.status, none.text.includes('<a href="#f-open">')]).toEqual([422, true]);
    const long = { name: 'X', open: 'A', won: 'Y', lost: 'n'.repeat(61) };
    const { text } = await admin.send(`${list()}/new`, 'create', long);
    expect([text.includes('<a href="#f-lost">'), text.includes('id="f-lost-error"')]).toEqual([
      true,
      true,
    ]);
    const early = await admin.send(page, 'move', { id: won, place: '1' });
    const [, place = ''] = /<a href="#(f-place-[^"]+)">/.exec(early.text) ?? [];
    expect([early.status, early.text.includes(`id="${place}-error"`)]).toEqual([422, true]);
    expect((await admin.send(page, 'add', { id: 'new', name: '', kind: 'open' })).status).toBe(422);
    expect((await admin.send(page, 'add', { id: 'new', name: 'Z', kind: 'x' })).status).toBe(422);
    expect(await stagesOf(sales.id)).toEqual(before);
  });

  it('say of a taken name that it is taken, at its field', async () => {
    const { admin } = scene.people;
    const { id } = await aPipeline(scene.ctx, 'Outro');

    const made = await admin.send(`${list()}/new`, 'create', { name: 'vendas', open: 'A' });
    const renamed = await admin.send(`${list()}/${id}/stages`, 'rename', { name: 'Vendas' });

    for (const { status, text } of [made, renamed]) {
      expect([status, text.includes('<a href="#f-name">')]).toEqual([409, true]);
      expect(text).toContain('id="f-name-error">Another pipeline has this name.<');
    }
  });

  it('show the deals by stage, and move one by a choice and a button', async () => {
    const { agent } = scene.people;
    const { id } = await aDeal('Bolo <azul>');
    const board = `${list()}/${sales.id}`;
    const shown = (await agent.get(board)).text;
    expect(shown).toContain('Bolo &lt;azul&gt;');
    expect(shown).toMatch(/R\$\s?1,250\.50/);

    const won = sales.stages['Ganho'] ?? '';
    const moved = await agent.send(board, 'move', { id, stage_id: won });
    expect(moved.headers.get('location')).toBe(`${board}#${id}`);
    expect(await reading((ctx) => getDeal(ctx, id))).toMatchObject({ status: 'won' });
    const own = await agent.get(`${scene.base}/deals/${id}`);
    expect(own.text).toMatch(/<dt>Value<\/dt><dd>R\$\s?1,250\.50</);
    const listed = await agent.get(`${board}/deals?stage=${won}`);
    expect(listed.text).toContain('Bolo &lt;azul&gt;');
    expect((await agent.get(`${board}/deals?stage=${sales.stages['Novo']}`)).text).not.toContain(
      'Bolo',
    );
  });

  it('name on the board and in the list with whom a deal is, unless its title does, and who has it', async () => {
    const { id: owner_id } = await aMember(scene.ctx, { role: 'admin' });
    const contact_id = (await aContact(scene.ctx, { name: 'Bia <b>' })).id;
    const deal = (stage: string, more: object = {}) =>
      createDeal(scene.ctx, { contact_id, stage_id: sales.stages[stage] ?? '', ...more });
    const { id } = await deal('Ganho', { title: 'Bolo verde', owner_id });
    const { id: plain } = await deal('Proposta');

    const { text } = await scene.people.viewer.get(`${list()}/${sales.id}`);
    const card = (of: string) => RegExp(`<li id="${of}">(.*?)</li>`, 's').exec(text)?.[1];

    expect(card(id)).toContain('</p><p>Bia &lt;b&gt;</p><p class="soft">Owner: Pessoa admin</p>');
    expect(card(plain)).toMatch(/^<p><a [^>]*>Bia &lt;b&gt;<\/a><\/p>$/);
    const all = (await scene.people.viewer.get(`${list()}/${sales.id}/deals`)).text;
    const row = /Bolo verde.*?<\/tr>/s.exec(all)?.[0];
    expect(row).toContain('data-label="Contact">Bia &lt;b&gt;<');
    expect(row).toContain('data-label="Owner">Pessoa admin<');
  });

  it('take a new deal for a contact who was searched for', async () => {
    const { agent } = scene.people;
    const page = `${list()}/${sales.id}/deals/new`;
    const worth = { value_cents: '99,9', currency: 'BRL' };
    const wish = { stage_id: sales.stages['Proposta'] ?? '', title: '', ...worth };
    expect((await agent.send(page, 'find', { ...wish, q: 'ana' })).text).toContain(
      `value="${contactId}"`,
    );

    const { id: owner_id } = await aMember(scene.ctx, { role: 'agent' });
    const made = await agent.send(page, 'create', { ...wish, owner_id, contact_id: contactId });
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect(await reading((ctx) => getDeal(ctx, id))).toMatchObject({
      title: 'Ana Souza',
      value_cents: 9_990,
      owner_id,
    });
    const wrong = await agent.send(page, 'create', { ...wish, value_cents: 'muito' });
    expect([wrong.status, wrong.text.includes('1250.00')]).toEqual([422, true]);

    const lost = { stage_id: sales.stages['Perdido'] ?? '', lost_reason: 'Caro' };
    expect((await agent.send(address, 'move', lost)).status).toBe(303);
    expect((await agent.get(address)).text).toContain('Caro');
    const again = { stage_id: sales.stages['Novo'] ?? '', lost_reason: 'Caro' };
    expect((await agent.send(address, 'move', again)).status).toBe(422);
  });

  it('are shown to a Viewer without a button, and foreign ones to nobody', async () => {
    const other = await aWorkspace(scene.database);
    const foreign = await aPipeline(other.ctx, 'Segredo');
    const stranger = await aContact(other.ctx, { name: 'Zé' });
    const deal = await createDeal(other.ctx, {
      contact_id: stranger.id,
      stage_id: foreign.stages['Novo'] ?? '',
    });
    const own = await aDeal('Nosso');
    const { viewer, owner } = scene.people;

    for (const path of [`${list()}/${sales.id}`, `${scene.base}/deals/${own.id}`])
      expect((await viewer.get(path)).text).not.toContain('name="action"');
    for (const path of ['', '/stages', '/deals', '/deals/new'])
      expect((await owner.get(`${list()}/${foreign.id}${path}`)).status).toBe(404);
    expect((await owner.get(`${scene.base}/deals/${deal.id}`)).status).toBe(404);
    const page = `${list()}/${sales.id}`;
    const to = { stage_id: sales.stages['Novo'] ?? '' };
    expect((await owner.send(page, 'move', { ...to, id: deal.id })).status).toBe(404);
    const stage = foreign.stages['Novo'] ?? '';
    expect((await owner.send(`${page}/stages`, 'remove', { stage })).status).toBe(404);
    expect((await owner.send(page, 'move', { id: own.id, stage_id: stage })).status).toBe(422);
  });
});
