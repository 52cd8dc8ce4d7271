import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Permission } from '../../src/access/permissions.ts';
import { permissionsOf, ROLES } from '../../src/access/roles.ts';
import { consolePages } from '../../src/console/pages.ts';
import { pageTable } from '../../src/console/table.ts';
import { type Addresses, aRecordForEveryPage, shownPages } from './support/every-page.ts';
import { aConsoleScene, type ConsoleScene, type Visitor } from './support/scene.ts';
import { textsIn } from './support/texts.ts';

let scene: ConsoleScene;
let addresses: Addresses;
beforeAll(async () => {
  scene = await aConsoleScene(['http://127.0.0.1:9']);
  addresses = await aRecordForEveryPage(scene.ctx);
});
afterAll(() => scene?.close());

const find = pageTable(consolePages);

const html = async (person: Visitor, path: string, headers = {}) => {
  const reply = await person.get(scene.base + addresses[path], headers);
  return { ...reply, main: reply.text.slice(reply.text.indexOf('<main')) };
};

it('has a record for every page, so that each is really seen', () => {
  expect(Object.keys(addresses).toSorted()).toEqual(
    consolePages.map(({ path }) => path).toSorted(),
  );
});

interface Offered {
  readonly links: readonly string[];
  readonly actions: readonly string[];
}

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

/** What a page lets its reader do. */
const offeredBy = (main: string): Offered => ({
  links: namesIn(main, /href="(\/console\/[^"?#]*)/g).map((href) => href.slice(scene.base.length)),
  actions: namesIn(main, /name="action" value="([^"]+)"/g),
});

it.each(ROLES)('shows %s no link and no button that would be refused', async (role) => {
  const allowed = permissionsOf(role, []);
  const may = (needed: Permission | null | undefined): boolean =>
    needed === null || (needed !== undefined && allowed.has(needed));
  for (const { path, permission, actions = {} } of shownPages) {
    const { status, main } = await html(scene.people[role], path);
    expect([path, status]).toEqual([path, may(permission) ? 200 : 403]);
    if (status !== 200) continue;
    const offered = offeredBy(main);
    const refused = [
      ...offered.links.filter((link) => !may(find(link)?.page.permission)),
      ...offered.actions.filter((action) => !may(actions[action]?.permission)),
    ];
    expect([path, refused]).toEqual([path, []]);
  }
});

it.each([
  ['', ''],
  ['/campaigns/:id/edit', '/campaigns'],
  ['/contacts/imports/:id', '/contacts'],
  ['/settings/opt-out-phrases', '/settings'],
])('marks for %s the place in the navigation, of which it is a part: %s', async (path, place) => {
  const { text } = await html(scene.people.owner, path);
  const nav = /<nav aria-label[\s\S]*?<\/nav>/.exec(text)?.[0] ?? '';

  expect(namesIn(nav, /href="([^"]+)" aria-current="page"/g)).toEqual([scene.base + place]);
});

/** What the workspace itself is called and says: records of the scene, and addresses. */
const OWN =
  /Padaria|Pessoa|Ana|Vendas|Entrega|Cliente|clientes|Novo|Bolo|bolo|Planilhas|Integração|Pedidos|Boas-vindas|Retorno|Natal|Black|Cadastro|Nome|minuto|Oi|Olá|vip|dona-|@example|tests|Proposta|Ganho|Perdido|→|:\/\//;
const isOwn = (text: string): boolean => OWN.test(text) || SAME.has(text);
/** Words that both languages have. */
const SAME = new Set([
  ...['Workspace Messaging', 'Console', 'Menu', 'App', 'Id', 'WhatsApp', 'E-mail'],
  ...['Webhooks', 'Status', '0 min', 'message.sent'],
]);

it('leaves no English on a page in Portuguese', async () => {
  const wrong: string[] = [];
  const read = async (path: string, language: string): Promise<string[]> => {
    const { text } = await html(scene.people.owner, path, { 'accept-language': language });
    return textsIn(text);
  };
  for (const { path } of shownPages) {
    const english = new Set(await read(path, 'en'));
    for (const text of await read(path, 'pt-BR'))
      if (english.has(text) && !isOwn(text)) wrong.push(`${path}: ${text}`);
  }
  expect(wrong).toEqual([]);
});

it('loads at most 60 KB the first time, on every page, as it comes over the wire', async () => {
  const sizes = new Map<string, number>();
  const sizeOf = async (file: string): Promise<number> => {
    const { headers } = await fetch(scene.api.url + file);
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('vary')).toContain('Accept-Encoding');
    return Number(headers.get('content-length'));
  };
  const heavy: string[] = [];
  for (const { path } of shownPages) {
    const { text } = await html(scene.people.owner, path);
    let bytes = Buffer.byteLength(text);
    for (const [, file = ''] of text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
      if (!sizes.has(file)) sizes.set(file, await sizeOf(file));
      bytes += sizes.get(file) ?? 0;
    }
    if (bytes > 60 * 1_024) heavy.push(`${path}: ${bytes}`);
  }
  expect(heavy).toEqual([]);
});
