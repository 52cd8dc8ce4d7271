import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aConsoleScene, type ConsoleScene, type Fields } from './support/scene.ts';

let scene: ConsoleScene;
let numberId: string;
beforeAll(async () => {
  scene = await aConsoleScene();
  ({ id: numberId } = await aNumber(scene.ctx));
});
afterAll(() => scene?.close());

const unescaped = (text: string): string => text.replaceAll('&lt;', '<').replaceAll('&gt;', '>');

/** The page that refuses this form. */
async function refused(path: string, action: string, fields: Fields): Promise<string> {
  const { owner } = scene.people;
  const form = { _csrf: await owner.csrf(), action, ...fields };
  const reply = await owner.post(scene.base + path, form, { 'accept-language': 'pt-BR' });
  expect([path, reply.status < 409 || reply.status > 422]).toEqual([path, false]);
  return unescaped(reply.text);
}

/** What stands in the summary above a refused form. */
const summaryOf = (page: string): string[] =>
  Array.from(page.matchAll(/<li>(<a href="#f-[^"]*">.*?<\/a>)<\/li>/g), ([, entry = '']) => entry);

describe('what is refused, in Portuguese', () => {
  const reminder = (text: string) => ({
    title: 'Festa',
    number_id: numberId,
    audience: 'phone',
    phone: '+5511987654321',
    text,
    repeat: 'once',
    date: '2199-12-24',
    time: '09:00',
  });

  it('names the variable that does not exist, and those that do, which the form lists before', async () => {
    const there = '{{name}}, {{first_name}}, {{custom.<chave>}}';
    const campaign = { name: 'Festa', number_id: numberId, target: 'all', pace: '60' };

    const pages = [
      await refused('/reminders/new', 'create', reminder('Parabéns {{nome}}')),
      await refused('/campaigns/new', 'create', { ...campaign, text: 'Parabéns {{nome}}' }),
    ];

    for (const page of pages) {
      expect(page).toContain(`Não há a variável {{nome}}. Há: ${there}.</p>`);
      expect(page).toContain(`Variáveis: ${there}; para grupos só {{name}}.`);
    }
  });

  it('says at the phone that another contact has it, and links that contact', async () => {
    const known = await aContact(scene.ctx, { name: 'Caio', phone: '+5511987650001' });
    const other = await aContact(scene.ctx, { name: 'Outro', phone: '+5511987650002' });
    const fields = { name: 'Outro', phone: '+55 11 98765-0001' };

    const pages = [
      await refused('/contacts/new', 'create', fields),
      await refused(`/contacts/${other.id}`, 'save', fields),
    ];

    const sentence = 'Outro contato já tem este telefone.';
    const link = `<a href="${scene.base}/contacts/${known.id}">Abrir esse contato</a>`;
    for (const page of pages) {
      expect(summaryOf(page)).toEqual([`<a href="#f-phone">Telefone: ${sentence}</a>`]);
      expect(page).toContain(`<p class="problem" id="f-phone-error">${sentence} ${link}</p>`);
    }
  });

  it('names each redirect address that cannot be one', async () => {
    const wrong = ['http://evil.example.com', 'https://a.example.com/#x'];
    const uris = ['https://ok.example.com', ...wrong].join('\r\n');

    const page = await refused('/apps/new', 'create', { name: 'App', redirect_uris: uris });

    const summary = summaryOf(page).filter((one) => one.includes('#f-redirect-uris'));
    expect(summary).toEqual(wrong.map((uri) => expect.stringContaining(uri)));
  });

  it('lists every problem of a text for machines, with its place', async () => {
    const fields = JSON.stringify([{ type: 'nada', label: 'Nome', key: 'nome' }, { type: 'text' }]);

    const page = await refused('/forms/new', 'create', { title: 'Pedido', fields });

    const summary = summaryOf(page);
    expect(summary.length).toBeGreaterThan(1);
    for (const place of ['[0].type', '[1].label'])
      expect(summary.join('\n')).toContain(
        `<a href="#f-fields">Perguntas: <code>${place}</code>: `,
      );
  });
});
