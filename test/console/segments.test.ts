import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { listSegments, readSegment } from '../../src/segments/reading.ts';
import { anActiveAutomation } from '../support/factories/automations.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm } from '../support/factories/forms.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { aConsoleScene, type ConsoleScene, type Visitor } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
  await aContact(scene.ctx, { name: 'Ana <Souza>', tags: ['vip'] });
  await aContact(scene.ctx, { name: 'Bruno', tags: ['vip', 'loja'] });
});
afterAll(() => scene?.close());

const reading = <T>(work: (ctx: typeof scene.ctx) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => work({ ...scene.ctx, sql }));

const names = async (): Promise<string[]> =>
  (await reading((ctx) => listSegments(ctx, { limit: 50, after: null }))).data.map(
    ({ name }) => name,
  );

const tagged = (tag: string): string =>
  JSON.stringify({ all: [{ field: 'tag', op: 'has_any', value: [tag] }] });

describe('segments', () => {
  const list = (): string => `${scene.base}/segments`;

  it('are written as rules, counted before they are saved, changed and deleted', async () => {
    const { agent } = scene.people;
    const wish = { name: 'VIPs', rules: tagged('vip') };
    const counted = await agent.send(`${list()}/new`, 'create', {
      ...wish,
      action: ['create', 'preview'],
    });
    expect(counted.status).toBe(200);
    expect(counted.text).toContain('Matching now: 2');
    expect(counted.text).toContain('Ana &lt;Souza&gt;');
    expect(counted.text).toContain('value="VIPs"');
    expect(await names()).toEqual([]);

    const made = await agent.send(`${list()}/new`, 'create', wish);
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect([made.status, address]).toEqual([303, `${list()}/${id}`]);
    expect((await agent.get(list())).text).toContain(`href="${address}">VIPs</a>`);
    const shown = (await agent.get(address)).text;
    expect(shown).toContain('Ana &lt;Souza&gt;');
    expect(shown).toContain('&quot;has_any&quot;');

    const other = { name: 'Loja', rules: tagged('loja') };
    expect((await agent.send(`${address}/edit`, 'save', other)).status).toBe(303);
    expect(await reading((ctx) => readSegment(ctx, id))).toMatchObject({ name: 'Loja', count: 1 });

    expect((await agent.send(address, 'delete')).headers.get('location')).toBe(list());
    expect(await names()).toEqual([]);
  });

  it('say of each wrong rule where it is, in the language of the reader, and keep what was written', async () => {
    const { agent } = scene.people;
    const rules = '{"all":[{"field":"tag","op":"is"},{"field":"cor","op":"eq","value":"azul"}]}';
    const headers = { 'accept-language': 'pt-BR' };
    const fields = { _csrf: await agent.csrf(), action: 'create', name: 'X', rules };
    const { status, text } = await agent.post(`${list()}/new`, fields, headers);

    expect(status).toBe(422);
    expect(text).toContain('<code>all[0].op</code>: Use um destes: has_any');
    expect(text).toContain('<code>all[1].field</code>: Use um destes: name');
    expect(text).toContain('&quot;azul&quot;');
    expect(await names()).toEqual([]);
  });

  it('can name whatever their fields ask for: the guide beside them says the ids', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id: owner } = await aMember(scene.ctx, { role: 'agent', teams: ['Doces'] });
    const { id: contactId } = await aContact(scene.ctx);
    const campaign = await aCampaign(scene.ctx, { number_id: numberId, contact_ids: [contactId] });
    const form = await aForm(scene.ctx);
    const automation = await anActiveAutomation(scene.ctx);
    const pipeline = await aPipeline(scene.ctx);

    const { text } = await scene.people.agent.get(`${list()}/new`);

    const said = [
      ...text.matchAll(/<code>(\w+)<\/code><\/td><td data-label="Fields">(.*?)<\/td>/g),
    ];
    const fields = new Map(said.map(([, id, names = '']) => [id, names.replaceAll(/<.*?>/g, '')]));
    expect(fields.get(numberId)).toBe('number_id');
    expect(fields.get(owner)).toBe('owner_id');
    expect(fields.get(campaign.id)).toBe('campaign.received, campaign.replied');
    expect(fields.get(form.id)).toBe('form.submitted');
    expect(fields.get(automation.id)).toBe('automation.run');
    expect(fields.get(pipeline.id)).toBe('pipeline');
    expect(fields.get(pipeline.stages['Novo'])).toBe('stage');
    expect([...fields.values()]).toContain('team_id');
  });

  it.each([
    ['{"all":[', 'This is not JSON: something is missing at its end.'],
    ['{"all": x}', 'This is not JSON. Look at:'],
    ['{"field":"name","op":"eq","value":"\\u0000"}', 'A text contains a NUL character.'],
    ['[]', 'This value does not fit.|Must be'],
  ])('refuse %s without keeping anything', async (rules, said) => {
    const { status, text } = await scene.people.agent.send(`${list()}/new`, 'create', {
      name: 'X',
      rules,
    });
    expect(status).toBe(422);
    expect(text).toMatch(new RegExp(said.replaceAll('.', '\\.')));
    expect(await names()).toEqual([]);
  });

  it('are called what was written, without the blanks around it', async () => {
    const wish = { name: ' VIPs  ', rules: tagged('vip') };
    await scene.people.agent.send(`${list()}/new`, 'create', wish);

    expect(await names()).toEqual(['VIPs']);
  });

  it('that something uses are not deleted, and their pages say by what, also where rules are changed', async () => {
    const { id: numberId } = await aNumber(scene.ctx);
    const { id } = await aSegment(scene.ctx, { name: 'Em uso' });
    await aCampaign(scene.ctx, {
      number_id: numberId,
      target: 'segment',
      segment_id: id,
      contact_ids: [],
    });
    const { id: contactId } = await aContact(scene.ctx);
    await aCampaign(scene.ctx, { name: 'Natal', number_id: numberId, contact_ids: [contactId] });
    const { owner } = scene.people;

    for (const path of [id, `${id}/edit`])
      expect((await owner.get(`${list()}/${path}`)).text).toMatch(
        /campaigns: 1<\/a>.*goes by the new rules as soon as they are saved/s,
      );
    const using = `${scene.base}/campaigns?segment_id=${id}`;
    expect((await owner.get(`${list()}/${id}`)).text).toContain(`href="${using}">campaigns: 1`);
    const { text } = await owner.get(using);
    expect(text).toContain('Black Friday</a>');
    expect(text).not.toContain('Natal</a>');
    expect(text).toMatch(/To whom: <a [^>]*>Em uso<\/a>/);
    expect((await owner.send(`${list()}/${id}`, 'delete')).status).toBe(409);
    expect(await names()).toContain('Em uso');
  });

  it('say to whoever sees less than the workspace that only what they see is asked', async () => {
    const { id: memberId } = await aMember(scene.ctx, { visibility: 'assigned' });
    const narrow = await scene.visitor(memberId);
    const deals = { field: 'deal.status', op: 'eq', value: 'open' } as const;
    const asking = await aSegment(scene.ctx, { name: 'Com negócio', rules: deals });
    const plain = await aSegment(scene.ctx, { name: 'Com etiqueta' });
    const said = async (person: Visitor, { id }: { id: string }) =>
      (await person.get(`${scene.base}/segments/${id}`)).text.includes('that you see are asked');

    expect(await said(narrow, asking)).toBe(true);
    expect(await said(narrow, plain)).toBe(false);
    expect(await said(scene.people.agent, asking)).toBe(false);
  });

  it('are shown to a Viewer without a button, and to nobody of another workspace', async () => {
    const other = await aWorkspace(scene.database);
    const foreign = await aSegment(other.ctx, { name: 'Segredo' });
    const { id } = await aSegment(scene.ctx, { name: 'Nossa' });
    const { viewer, owner } = scene.people;

    expect((await viewer.get(list())).text).not.toContain(`${list()}/new`);
    expect((await viewer.get(`${list()}/${id}`)).text).not.toContain('name="action"');
    const wish = { name: 'Minha', rules: tagged('vip') };
    expect((await owner.get(`${list()}/${foreign.id}`)).status).toBe(404);
    expect((await owner.send(`${list()}/${foreign.id}/edit`, 'save', wish)).status).toBe(404);
    expect((await owner.send(`${list()}/${foreign.id}`, 'delete')).status).toBe(404);
    const kept = await inWorkspace(scene.database, other.workspaceId, (sql) =>
      readSegment({ ...other.ctx, sql }, foreign.id),
    );
    expect(kept.name).toBe('Segredo');
  });
});
