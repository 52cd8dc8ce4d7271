import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { system } from '../../src/access/actor.ts';
import { audit } from '../../src/audit/service.ts';
import { transact } from '../../src/db/transact.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

const app = { id: 'app_1', name: 'Planilhas' };
const bia = { type: 'member', id: 'mem_1', name: 'Bia Ramos', app: null } as const;

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
  await note(bia, 'contact.deleted', 'Ana apagada');
  await note({ ...bia, app }, 'contact.updated', 'Ana pelo app');
  await note(system('assignment queue'), 'contact.updated', 'Ana pela fila');
  await note(bia, 'deal.moved', 'Bolo movido');
  await note(bia, 'test.done', 'Prova');
});
afterAll(() => scene?.close());

type Doer = Parameters<typeof audit>[0]['actor'];

const note = (actor: Doer, action: `${string}.${string}`, name: string): Promise<void> =>
  transact(scene.ctx, (tx) =>
    audit({ ...tx, actor }, { action, target: { type: 'test', id: 't', name } }),
  );

const NAMES = ['Ana apagada', 'Ana pelo app', 'Ana pela fila', 'Bolo movido', 'Prova'];
const namesIn = (text: string): string[] => NAMES.filter((name) => text.includes(name));

describe('the audit log', () => {
  it.each<[string, string, string[]]>([
    ['an action', 'action=contact.deleted', ['Ana apagada']],
    ['a domain', 'action=contact', ['Ana apagada', 'Ana pelo app', 'Ana pela fila']],
    ['an action without words', 'action=test.done', ['Prova']],
    [
      'a person, also behind an app',
      'actor=mem_1',
      ['Ana apagada', 'Ana pelo app', 'Bolo movido', 'Prova'],
    ],
    ['the service', 'actor=system', ['Ana pela fila']],
    ['both', 'actor=mem_1&action=contact', ['Ana apagada', 'Ana pelo app']],
    ['what nobody did', 'action=contact.exported', []],
    ['what is no domain', 'action=nothing', []],
    ['nothing, where these are no names', 'actor=%00&action=%27%3B--', NAMES],
  ])('is narrowed to %s, on the page as in the file', async (_, query, names) => {
    const { owner } = scene.people;

    const page = (await owner.get(`${scene.base}/audit?${query}`)).text;
    const file = (await owner.get(`${scene.base}/audit.csv?${query}`)).text;

    expect(namesIn(/<tbody>.*<\/tbody>/s.exec(page)?.[0] ?? '')).toEqual(names);
    expect(namesIn(file)).toEqual(names);
    expect(page).toContain(`/audit.csv?${query.replaceAll('&', '&amp;')}`);
  });

  it.each([
    ['en', 'Who: Bia Ramos ', 'What: Deleted a contact '],
    ['pt-BR', 'Quem: Bia Ramos ', 'O quê: Apagou um contato '],
  ])('says in %s to what it is narrowed, and its entries lead there', async (language, ...said) => {
    const { owner } = scene.people;
    const ask = async (query: string) =>
      (await owner.get(`${scene.base}/audit?${query}`, { 'accept-language': language })).text;

    const narrowed = await ask('actor=mem_1&action=contact.deleted&before=900000');
    const all = await ask('before=900000');

    for (const one of said) expect(narrowed).toContain(one);
    const place = `href="${scene.base}/audit`;
    for (const query of ['actor=mem_1', 'actor=system', 'action=contact.deleted', 'action=deal'])
      expect(all).toContain(`${place}?${query}"`);
  });
});
