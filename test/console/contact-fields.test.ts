import { describe, expect, it } from '@jest/globals';
import { getContact, updateContact } from '../../src/contacts/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { filledIn } from './support/forms.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const list = (): string => `${scene.base}/contacts`;
const contact = (id: string) =>
  inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
    getContact({ ...scene.ctx, sql }, id),
  );
const custom = async (id: string) => (await contact(id)).custom;

/** What the page of the contact shows in its form. */
const shownOf = async (id: string): Promise<string> => {
  const { text } = await scene.people.agent.get(`${list()}/${id}`);
  return /<textarea[^>]* name="custom"[^>]*>\n([^<]*)</.exec(text)?.[1] ?? '';
};

const save = (id: string, shown: string, written: string) =>
  scene.people.agent.send(`${list()}/${id}`, 'save', { shown_custom: shown, custom: written });

it('writes the fields that a company keeps of a contact, and takes them out', async () => {
  const made = await scene.people.agent.send(`${list()}/new`, 'create', {
    name: 'Ana',
    custom: 'city: Recife\r\n\r\nloja : Rua A, 5: fundos\r\n',
  });
  const id = made.headers.get('location')?.split('/').at(-1) ?? '';
  expect(await custom(id)).toEqual({ city: 'Recife', loja: 'Rua A, 5: fundos' });

  const shown = await shownOf(id);
  expect(shown).toBe('city: Recife\nloja: Rua A, 5: fundos');
  await updateContact(scene.ctx, id, { custom: { plano: 'ouro', city: 'Natal' } });
  const saved = await save(id, shown, 'city: Recife\ncpf: 123');

  expect(saved.status).toBe(303);
  expect(await custom(id)).toEqual({ city: 'Natal', plano: 'ouro', cpf: '123' });
});

it('leaves a number a number, and a list or a text of several lines what it is', async () => {
  const kept = {
    visits: 3,
    vip: true,
    sizes: ['P', 'M, G'],
    address: 'Rua A\n\n  fundos',
    empty: '',
  };
  const { id } = await aContact(scene.ctx, { name: 'Bia', custom: kept });
  const shown = await shownOf(id);

  expect((await save(id, shown, shown.replaceAll('\n', '\r\n'))).status).toBe(303);
  expect(await custom(id)).toEqual(kept);
  const written =
    'visits: 4\nvip: false\nsizes:\n  - P\n  - M, G\n  - G\naddress: Rua B\n  casa 2\nempty:\nvisitas: 5';
  expect((await save(id, shown, written)).status).toBe(303);
  expect(await custom(id)).toEqual({
    visits: 4,
    vip: false,
    sizes: ['P', 'M, G', 'G'],
    address: 'Rua B\ncasa 2',
    empty: '',
    visitas: '5',
  });
});

it('keeps the entries of a list apart, whatever is written in them', async () => {
  const kept = { notes: ['- um', 'dois\n\n- três', ' quatro', ''] };
  const { id } = await aContact(scene.ctx, { name: 'Ivo', custom: kept });
  const shown = await shownOf(id);

  await save(id, shown, `${shown.replaceAll('\n', '\r\n')}\r\n  -cinco`);

  expect(await custom(id)).toEqual({ notes: [...kept.notes, 'cinco'] });
});

it.each([
  ['a number', 'visits: 42,5', 'visits', 'This is a number: write it as 42.5.', 'É um número'],
  ['true or false', 'vip: sim', 'vip', 'This is true or false.', 'É true ou false'],
  ['a list', 'sizes: P, G', 'sizes', 'This is a list: write each entry on a line', 'É uma lista'],
  ['one field', 'vip: true\nvip: false', 'vip', 'Name each field once.', 'Nomeie cada um uma vez'],
])('refuses what makes %s something else, by the name of the field', async (...told) => {
  const [, written, key, english, portuguese] = told;
  const kept = { visits: 3, vip: true, sizes: ['P'] };
  const { id } = await aContact(scene.ctx, { name: 'Lia', custom: kept });
  const shown = await shownOf(id);
  const fields = { shown_custom: shown, custom: `cor: azul\n${written}`, action: 'save' };
  const _csrf = await scene.people.agent.csrf();

  for (const [language, text] of [
    ['en', english],
    ['pt-BR', portuguese],
  ] as const) {
    const headers = { 'accept-language': language };
    const refused = await scene.people.agent.post(`${list()}/${id}`, { _csrf, ...fields }, headers);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain(`id="f-custom-error"><code>${key}</code>: ${text}`);
    expect(refused.text).toContain(`\ncor: azul\n${written}</textarea>`);
  }
  expect(await custom(id)).toEqual(kept);
});

it('keeps what was written when a line names no field', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Caio', custom: { city: 'Recife' } });
  const { agent } = scene.people;
  const sent = (text: string) => ({ shown_custom: 'city: Recife', custom: text });
  const address = `${list()}/${id}`;

  const unnamed = await agent.send(address, 'save', sent('city: Natal\nmora longe'));
  const misnamed = await agent.send(address, 'save', sent('Cidade: Natal\nBairro: x'));
  const _csrf = await agent.csrf();
  const portuguese = await agent.post(
    address,
    { _csrf, action: 'save', ...sent('Cidade: Natal') },
    { 'accept-language': 'pt-BR' },
  );

  expect([unnamed, misnamed, portuguese].map(({ status }) => status)).toEqual([422, 422, 422]);
  expect(unnamed.text).toContain('Write each field as &quot;key: value&quot;.</p>');
  expect(unnamed.text).toContain('\ncity: Natal\nmora longe</textarea>');
  for (const name of ['Cidade', 'Bairro'])
    expect(misnamed.text.split(`<code>${name}</code>: A key has 1 to 40`)).toHaveLength(3);
  expect(portuguese.text).toContain(
    'id="f-custom-error"><code>Cidade</code>: Escreva cada campo como',
  );
  expect(await custom(id)).toEqual({ city: 'Recife' });
});

it('takes a birthday without its year, and the year once it is known', async () => {
  const { agent } = scene.people;
  const birthday = async (id: string) => {
    const { birth_date: date, birth_year_known: known } = await contact(id);
    return [date, known];
  };
  const made = await agent.send(`${list()}/new`, 'create', {
    name: 'Dora',
    birth_date: '2026-05-03',
    birth_yearless: 'true',
  });
  const address = made.headers.get('location') ?? '';
  const id = address.split('/').at(-1) ?? '';
  expect(await birthday(id)).toEqual(['1904-05-03', false]);
  const { text } = await agent.get(address);
  expect(text).toContain('name="shown_birth_yearless" value="true"');
  expect(text).toMatch(/name="birth_yearless" value="true" checked/);

  const shown = { shown_birth_date: '1904-05-03', shown_birth_yearless: 'true' };
  const saved = async (sent: Readonly<Record<string, string>>) =>
    (await agent.send(address, 'save', { ...shown, ...sent })).status;
  expect(await saved({ birth_date: '2001-05-04', birth_yearless: 'true' })).toBe(303);
  expect(await birthday(id)).toEqual(['1904-05-04', false]);
  expect(await saved({ birth_date: '1904-05-03', birth_yearless: 'true' })).toBe(303);
  expect(await birthday(id)).toEqual(['1904-05-04', false]);
  expect(await saved({ birth_date: '1904-05-03' })).toBe(422);
  expect(await saved({ birth_date: '1990-05-04' })).toBe(303);
  expect(await birthday(id)).toEqual(['1990-05-04', true]);
});

it('takes the year of a birthday for known in a form without the question', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Eva', birth_date: '1990-04-12' });
  const sent = { shown_birth_date: '1990-04-12', birth_date: '1991-04-12' };

  expect((await scene.people.agent.send(`${list()}/${id}`, 'save', sent)).status).toBe(303);
  expect(await contact(id)).toMatchObject({ birth_date: '1991-04-12', birth_year_known: true });
});

describe('who is in charge of a contact, and its time zone', () => {
  it('are written in its form and shown to whoever only reads', async () => {
    const { agent, viewer } = scene.people;
    const { id: owner } = await aMember(scene.ctx, { role: 'agent' });
    const given = { owner_id: owner, time_zone: 'America/Manaus' };
    const made = await agent.send(`${list()}/new`, 'create', { name: 'Rui', ...given });
    const address = made.headers.get('location') ?? '';
    const id = address.split('/').at(-1) ?? '';
    expect(await contact(id)).toMatchObject(given);
    const { text } = await viewer.get(address);
    expect(text).toContain('<dt>Time zone</dt><dd>America/Manaus</dd>');
    expect(text).toContain('<dt>In charge</dt>');

    const form = filledIn((await agent.get(address)).text, 'save');
    expect(form).toMatchObject(given);
    const emptied = { ...form, owner_id: '', time_zone: '' };
    expect((await agent.send(address, 'save', emptied)).status).toBe(303);
    expect(await contact(id)).toMatchObject({ owner_id: null, time_zone: null });
  });

  it.each([
    ['owner-id', { owner_id: 'mem_gone' }],
    ['time-zone', { time_zone: '-03:00' }],
  ])('are refused at %s where there is no such one', async (place, wrong) => {
    const { id } = await aContact(scene.ctx, { name: 'Lia' });
    const { agent } = scene.people;
    const form = filledIn((await agent.get(`${list()}/${id}`)).text, 'save');

    const { status, text } = await agent.send(`${list()}/${id}`, 'save', { ...form, ...wrong });

    expect(status).toBe(422);
    expect(text).toContain(`<a href="#f-${place}">`);
    expect(text).toContain(`id="f-${place}-error"`);
  });
});
