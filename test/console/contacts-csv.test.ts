import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ROLES } from '../../src/access/roles.ts';
import { importContacts } from '../../src/contacts/imports/rows.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aConsoleScene, type ConsoleScene } from './support/scene.ts';

let scene: ConsoleScene;
beforeAll(async () => {
  scene = await aConsoleScene();
});
afterAll(() => scene?.close());

const file = (): string => `${scene.base}/contacts.csv`;

it('everybody is in the file, and nobody of another workspace', async () => {
  const elsewhere = await aWorkspace(scene.database);
  await aContact(elsewhere.ctx, { name: 'Alheia' });
  const fields = { tags: ['vip', 'novo'], custom: { city: 'Olinda' }, notes: '=1+1' };
  const { id } = await aContact(scene.ctx, { name: 'Ana "Nina" Souza', ...fields });
  const rows = Array.from({ length: 1_001 }, (_, i) => ({ email: `c${i}@example.com` }));
  const others = await importContacts(scene.ctx, rows);

  const { status, headers, text } = await scene.people.owner.get(file());

  const [head, ...lines] = text.trimEnd().split('\r\n');
  expect(status).toBe(200);
  expect(headers.get('content-disposition')).toContain(`contacts-${scene.ctx.organizationId}.csv`);
  expect(head).toMatch(/^name,phone,email,tags,birth_date,language,time_zone,notes,custom,/);
  expect(lines).toHaveLength(1_002);
  expect(new Set(lines.map((line) => /,(con_\w+),/.exec(line)?.[1]))).toEqual(
    new Set([id, ...others.map(({ contactId }) => contactId)]),
  );
  expect(lines.at(-1)).toContain('"Ana ""Nina"" Souza"');
  expect(lines.at(-1)).toContain(`vip;novo,,,,'=1+1,"{""city"":""Olinda""}",`);
  expect(text).not.toContain('Alheia');
});

it('is offered and given to Owner and Admin alone', async () => {
  const given = await Promise.all(
    ROLES.map(async (role) => {
      const page = await scene.people[role].get(`${scene.base}/contacts`);
      const { status } = await scene.people[role].get(file());
      return [role, page.text.includes(`href="${file()}"`), status];
    }),
  );

  expect(given).toEqual([
    ['owner', true, 200],
    ['admin', true, 200],
    ['agent', false, 403],
    ['viewer', false, 403],
  ]);
});
