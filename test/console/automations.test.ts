import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { getAutomation } from '../../src/automations/reading.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { anActiveAutomation, anAutomation } from '../support/factories/automations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { formIn } from './support/forms.ts';
import { aConsoleScene, type ConsoleScene, type Visitor } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
  await aNumber(scene.ctx, { name: 'Vendas' });
});
afterAll(() => scene?.close());

const list = (): string => `${scene.base}/automations`;
const PORTUGUESE = { 'accept-language': 'pt-BR' };

const reading = <T>(work: (ctx: typeof scene.ctx) => Promise<T>): Promise<T> =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) => work({ ...scene.ctx, sql }));
const stored = (id: string) => reading((ctx) => getAutomation(ctx, id));

const unescaped = (text: string): string =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');

/** The definition and the moment that a page's form would send. */
async function formOf(person: Visitor, address: string): Promise<Record<string, string>> {
  const { text } = await person.get(address);
  const [, definition = ''] = /<textarea[^>]*name="definition"[^>]*>\n([^<]*)</.exec(text) ?? [];
  const [, name = ''] = /name="name"[^>]*value="([^"]*)"/.exec(text) ?? [];
  const [, seen = ''] = /name="seen" value="([^"]*)"/.exec(text) ?? [];
  return { name: unescaped(name), description: '', definition: unescaped(definition), seen };
}

const steps = (...all: readonly object[]): string =>
  JSON.stringify({ trigger: { type: 'manual' }, entry: {}, steps: all });
const END = { id: 'end', type: 'end' };
const LOST = { id: 'hello', type: 'send_message', text: 'Oi' };

describe('an automation in the console', () => {
  it('is written from a first definition that works as it stands, activated and listed', async () => {
    const { admin } = scene.people;
    const wish = { ...(await formOf(admin, `${list()}/new`)), name: 'Olá' };
    const made = await admin.send(`${list()}/new`, 'create', wish);
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect([made.status, address]).toEqual([303, `${list()}/${id}`]);
    expect((await admin.get(address)).text).toContain('Nothing to complain about');

    const form = await formOf(admin, address);
    expect((await admin.send(address, 'activate', form)).status).toBe(303);

    expect(await stored(id)).toMatchObject({ name: 'Olá', status: 'active', version: 1 });
    const { text } = await admin.get(`${list()}?status=active`);
    expect(text).toContain(`<a href="${address}">Olá</a>`);
    expect(text).toContain('somebody writes for the first time');
    expect((await admin.get(`${list()}?status=draft`)).text).not.toContain(address);
  });

  it('loses what was taken out of its definition, and is not saved without a trigger or steps', async () => {
    const { admin } = scene.people;
    const { id } = await anAutomation(scene.ctx, { entry: { priority: 7 } });
    const address = `${list()}/${id}`;
    const kept = await formOf(admin, address);
    const { entry, ...rest } = JSON.parse(kept['definition'] ?? '') as Record<string, object>;
    expect(entry).toMatchObject({ priority: 7 });

    const without = { ...kept, definition: JSON.stringify(rest) };
    expect((await admin.send(address, 'save', without)).status).toBe(303);
    expect((await stored(id)).entry).toMatchObject({ priority: 0 });

    const empty = await admin.send(address, 'save', {
      ...(await formOf(admin, address)),
      definition: '{}',
    });
    expect([empty.status, empty.text.includes('<code>trigger</code>')]).toEqual([422, true]);
    expect(empty.text).toContain('2 places do not fit.');
  });

  it('keeps each version as it was published, and writes on from any of them', async () => {
    const { admin, viewer } = scene.people;
    const { id } = await anActiveAutomation(scene.ctx, { name: 'Versões' });
    const address = `${list()}/${id}`;
    const first = await stored(id);
    const changed = { ...(await formOf(admin, address)), definition: steps(END) };
    await admin.send(address, 'save', changed);
    await admin.send(address, 'activate', await formOf(admin, address));

    const old = `${address}/versions/1`;
    const { text } = await viewer.get(address);
    for (const version of [1, 2]) expect(text).toContain(`href="${address}/versions/${version}"`);
    expect((await viewer.get(old)).text).toContain('Oi {{first_name|tudo bem}}!');
    expect((await viewer.get(`${address}/versions/2`)).text).not.toContain('tudo bem');
    for (const missing of ['3', '0', 'x'])
      expect((await viewer.get(`${address}/versions/${missing}`)).status).toBe(404);

    expect((await viewer.send(old, 'restore')).status).toBe(403);
    expect((await admin.send(old, 'restore')).headers.get('location')).toBe(address);
    const { trigger, entry } = first;
    expect(await stored(id)).toMatchObject({
      trigger,
      entry,
      steps: first.steps,
      version: 2,
      unpublished_edits: true,
    });
  });

  it('lists all of its versions, page by page', async () => {
    const { id } = await anActiveAutomation(scene.ctx, { name: 'Muitas' });
    await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      sql.rows(
        `insert into automation_versions (organization_id, automation_id, version, definition, created_at)
         select organization_id, automation_id, n, definition, now() from automation_versions, generate_series(2, 25) n
         where automation_id = $1`,
        [id],
      ),
    );
    const address = `${list()}/${id}`;
    const { viewer } = scene.people;
    const first = (await viewer.get(address)).text;
    const second = (await viewer.get(`${address}?version=6`)).text;

    expect(first).toContain('/versions/6"');
    expect(first).not.toContain('/versions/5"');
    expect(first).toContain(`href="${address}?version=6">Next page`);
    expect(second).toContain('/versions/5"');
    expect(second).not.toContain('/versions/6"');
    expect(second).toContain(`href="${address}">First page`);
    expect((await viewer.get(`${address}?version=21`)).text).not.toContain('Next page');
  });

  it('says beside the text what keeps it from being activated, with its place, in the language of the reader', async () => {
    const { admin } = scene.people;
    const { id } = await anAutomation(scene.ctx, {
      name: 'Incompleta',
      steps: [{ id: 'hello', type: 'send_message', text: 'Oi' }],
    });
    const address = `${list()}/${id}`;
    const { text } = await admin.get(address);
    expect(text).toContain('<code>steps[0].next</code> Say where next leads.');
    expect((await admin.get(address, PORTUGUESE)).text).toContain('Diga para onde isto leva.');

    const form = await formOf(admin, address);
    const refused = await admin.send(address, 'activate', form);

    expect(refused.status).toBe(422);
    expect(refused.text).toContain('One issue keeps the automation from being activated.');
    expect(refused.text).toContain('<code>steps[0].next</code>: Say where next leads.');
    expect((await stored(id)).status).toBe('draft');
  });

  it('is published as it stands in the form, also what was not saved before', async () => {
    const { admin } = scene.people;
    const { id } = await anActiveAutomation(scene.ctx, { name: 'Publicada' });
    const address = `${list()}/${id}`;
    const saved = { ...(await formOf(admin, address)), definition: steps(END) };
    expect((await admin.send(address, 'save', saved)).status).toBe(303);
    const last = { ...END, id: 'last' };
    const typed = { ...(await formOf(admin, address)), definition: steps(last) };

    const pages = await Promise.all(
      [{}, PORTUGUESE].map(async (language) => {
        const marks = { _csrf: await admin.csrf(), action: ['save', 'activate'] };
        const sent = { ...typed, ...marks, definition: steps(LOST) };
        return (await admin.post(address, sent, language)).text;
      }),
    );
    const published = await admin.send(address, 'activate', typed);

    expect(pages[0]).toContain('<code>steps[0].next</code>: Say where next leads.');
    expect(pages[1]).toContain('Um problema impede a ativação.');
    expect(pages[1]).toContain('<code>steps[0].next</code>: Diga para onde isto leva.');
    for (const page of pages) expect(formOfText(page)).toBe(steps(LOST));
    expect(published.status).toBe(303);
    expect(await stored(id)).toMatchObject({ version: 2, steps: [last], unpublished_edits: false });
  });

  it.each<[string, string, string]>([
    ['no JSON', '{ "trigger": ', 'This is not JSON'],
    ['no object', '[]', 'Write a JSON object with trigger, entry and steps.'],
    ['a text that no column holds', '{"trigger": "\\u0000"}', 'NUL character'],
    [
      'what does not fit, with each place',
      steps({ id: 'a', type: 'wait' }, { id: 'b', type: 'dance' }),
      '<code>steps[1].type</code>: Must be one of',
    ],
    ['more than a draft', '{"status": "active"}', '<code>status</code>: There is no such field.'],
  ])('keeps %s in the form, and nothing of it anywhere else', async (_, definition, says) => {
    const { admin } = scene.people;
    const { id } = await anAutomation(scene.ctx, { name: `Antes de ${says}`.slice(0, 90) });
    const before = await stored(id);
    const address = `${list()}/${id}`;
    const wish = { ...(await formOf(admin, address)), definition };

    const { status, text } = await admin.send(address, 'save', wish);

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-definition">');
    expect(text).toContain(says);
    expect(await formOfText(text)).toBe(definition);
    expect(await stored(id)).toEqual(before);
  });

  it('may hold dozens of the longest texts', async () => {
    const { admin } = scene.people;
    const { id } = await anAutomation(scene.ctx, { name: 'Longa' });
    const address = `${list()}/${id}`;
    const long = Array.from({ length: 40 }, (_, n) => ({
      id: `s${n}`,
      type: 'send_message',
      text: 'é'.repeat(4_096),
      next: n < 39 ? `s${n + 1}` : 'end',
    }));
    const wish = { ...(await formOf(admin, address)), definition: steps(...long, END) };

    expect((await admin.send(address, 'save', wish)).status).toBe(303);

    expect((await stored(id)).steps).toHaveLength(41);
  });

  it('is never overwritten or published by somebody who has not seen its last change', async () => {
    const { admin, owner } = scene.people;
    const { id } = await anAutomation(scene.ctx, { name: 'De dois' });
    const address = `${list()}/${id}`;
    const hers = await formOf(admin, address);
    const his = await formOf(owner, address);
    const first = { ...hers, definition: steps(END) };
    expect((await admin.send(address, 'save', first)).status).toBe(303);

    const second = { ...his, definition: steps({ id: 'his', type: 'end' }) };
    const refused = await owner.send(address, 'save', second);
    const published = await owner.send(address, 'activate', his);

    expect([refused.status, published.status]).toEqual([409, 409]);
    expect(refused.text).toContain('Somebody changed this after you opened the page');
    expect(formOfText(refused.text)).toBe(second.definition);
    expect(await stored(id)).toMatchObject({ status: 'draft', steps: [END] });
    const again = formIn(refused.text, 'save');
    expect((await owner.post(address, { ...again, action: 'activate' })).status).toBe(303);
    expect(await stored(id)).toMatchObject({ version: 1, steps: [{ id: 'his', type: 'end' }] });
  });
});

const formOfText = (text: string): string =>
  unescaped(/<textarea[^>]*name="definition"[^>]*>\n([^<]*)</.exec(text)?.[1] ?? '');
