import { describe, expect, it } from '@jest/globals';
import type { Permission } from '../../src/access/permissions.ts';
import { permissionsOf, ROLES } from '../../src/access/roles.ts';
import { consolePages } from '../../src/console/pages.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { type IdPrefix, newId } from '../../src/ids.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const inNavigation = consolePages.filter(({ nav }) => nav);

const addressFor = (path: string, id: string, part: string): string =>
  path
    .replace(':id', id)
    .replace(':part', part)
    .replace(/:[a-z]+/, '1');

/** Of the right shape, and nobody's. */
const anId = (prefix: IdPrefix | undefined): string => (prefix ? newId(prefix) : 'x');

describe('who sees which page', () => {
  it.each(ROLES)('leads %s to what their permissions allow, and nowhere else', async (role) => {
    const person = scene.people[role];
    const allowed = permissionsOf(role, []);
    const { text } = await person.get(scene.base);

    for (const { path, permission } of inNavigation) {
      const address = scene.base + path;
      const may = permission === null || allowed.has(permission);
      const page = await person.get(address);
      expect([role, path, page.status]).toEqual([role, path, may ? 200 : 403]);
      expect(text.includes(`<li><a href="${address}"`)).toBe(may);
    }
  });

  it.each(ROLES)(
    'refuses %s every page and every form that their permissions do not allow',
    async (role) => {
      const person = scene.people[role];
      const allowed = permissionsOf(role, []);
      const csrf = await person.csrf();
      for (const { path, id, part, permission, actions = {} } of consolePages) {
        const address = scene.base + addressFor(path, anId(id), anId(part));
        const may = (needed: Permission | null): boolean => needed === null || allowed.has(needed);
        const { status } = await person.get(address);
        expect([path, status === 403]).toEqual([path, !may(permission)]);
        for (const [action, { permission: needed }] of Object.entries(actions)) {
          if (may(permission) && may(needed)) continue;
          const sent = await person.post(address, { _csrf: csrf, action });
          expect([path, action, sent.status]).toEqual([path, action, 403]);
        }
      }
    },
  );

  it('answers the pages of another workspace, and those of nobody, as missing', async () => {
    const other = await aWorkspace(scene.database, { name: 'Outra' });
    for (const { path } of inNavigation) {
      const page = await scene.people.owner.get(`/console/${other.workspaceId}${path}`);
      expect(page.status).toBe(404);
      expect(page.text).not.toContain('Outra');
    }
    const missing = [
      '/console/org_01JD8B6V0R5Q9T3XK2M7N4P1WZ',
      `${scene.base}/nothing`,
      '/console/x',
    ];
    for (const path of missing) expect((await scene.people.owner.get(path)).status).toBe(404);
  });

  it('lets nobody in who was suspended, from the next page on', async () => {
    const { id } = await aMember(scene.ctx, { role: 'admin' });
    const person = await scene.visitor(id);
    expect((await person.get(scene.base)).status).toBe(200);

    await rowsOf(scene.ctx, "update members set status = 'suspended' where id = $1", [id]);

    expect((await person.get(scene.base)).status).toBe(404);
    expect((await person.get('/console')).text).toContain('No workspace yet');
  });

  it('sends whoever is not signed in to the sign-in, and back to the page afterwards', async () => {
    const { status, headers } = await fetch(`${scene.api.url}${scene.base}/api-keys`, {
      redirect: 'manual',
    });
    expect(status).toBe(303);
    expect(headers.get('location')).toBe(
      `/sign-in?next=${encodeURIComponent(`${scene.base}/api-keys`)}`,
    );
  });

  it('takes the whole page to the sign-in when only a part of it was asked for', async () => {
    const { status, headers } = await fetch(`${scene.api.url}${scene.base}`, {
      headers: { 'hx-request': 'true' },
    });
    expect(status).toBe(204);
    expect(headers.get('hx-redirect')).toBe(`/sign-in?next=${encodeURIComponent(scene.base)}`);
  });
});

describe('the entrance', () => {
  it('leads a person of one workspace straight into it, and shows several', async () => {
    const person = scene.people.agent;
    expect((await person.get('/console')).headers.get('location')).toBe(scene.base);
    expect((await person.get('/console?choose')).text).toContain(`href="${scene.base}"`);

    const other = await aWorkspace(scene.database, { name: 'Padaria <Sol>' });
    const again = await aMember(other.ctx, { role: 'viewer' });
    const [row] = await rowsOf<{ user_id: string }>(
      scene.ctx,
      'select user_id from members where id = $1',
      [person.memberId],
    );
    await inWorkspace(scene.database, other.workspaceId, (sql) =>
      sql.rows('update members set user_id = $2 where id = $1', [again.id, row?.user_id]),
    );

    const { status, text } = await person.get('/console');
    expect(status).toBe(200);
    expect(text).toContain(`href="/console/${other.workspaceId}"`);
    expect(text).toContain('Padaria &lt;Sol&gt;');
    expect((await person.get(`/console/${other.workspaceId}`)).status).toBe(200);
  });
});

describe('forms', () => {
  const path = (): string => `${scene.base}/api-keys/new`;
  const wish = { action: 'create', name: 'ERP', lifetime: '30d', scopes: 'contacts:read' };
  const keys = (): Promise<unknown[]> => rowsOf(scene.ctx, 'select id from api_keys');

  type Sent = [fields: Fields, headers?: Readonly<Record<string, string>>];
  it.each<[string, () => Promise<Sent>]>([
    ['without the token', async () => [wish]],
    [
      'with the token of another person',
      async () => [{ ...wish, _csrf: await scene.people.admin.csrf() }],
    ],
    [
      'sent by another site',
      async () => [
        { ...wish, _csrf: await scene.people.owner.csrf() },
        { origin: 'https://evil.test' },
      ],
    ],
    [
      'sent across sites',
      async () => [
        { ...wish, _csrf: await scene.people.owner.csrf() },
        { 'sec-fetch-site': 'cross-site' },
      ],
    ],
  ])('change nothing %s', async (_, make) => {
    const before = await keys();
    const [fields, headers] = await make();

    expect((await scene.people.owner.post(path(), fields, headers)).status).toBe(403);
    expect(await keys()).toEqual(before);
  });

  it('keep what stands in them when the person signed in again meanwhile', async () => {
    const before = await keys();
    const _csrf = await scene.people.admin.csrf();
    const { status, text } = await scene.people.owner.post(path(), { ...wish, _csrf });

    expect(status).toBe(403);
    expect(text).toContain('You have signed in again');
    expect(text).toContain('value="ERP"');
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(text) ?? [];
    expect(token).toBe(await scene.people.owner.csrf());
    expect(await keys()).toEqual(before);
    const viewer = await scene.people.viewer.post(path(), { ...wish, _csrf });
    expect([viewer.status, viewer.text.includes('value="ERP"')]).toEqual([403, false]);
  });

  it('lead whoever was signed out back to their page, and say that nothing was saved', async () => {
    const { headers } = await fetch(scene.api.url + path(), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(wish),
    });
    const next = encodeURIComponent(`${path()}#unsent`);
    expect(headers.get('location')).toBe(`/sign-in?next=${next}&done=unsent`);
  });

  it('refuse an action that the page does not have', async () => {
    expect((await scene.people.owner.send(path(), 'constructor')).status).toBe(404);
    expect((await scene.people.owner.send(path(), 'revoke')).status).toBe(404);
  });
});

describe('every page', () => {
  it('is never kept by caches, runs no script but ours, and cannot be framed', async () => {
    const { headers, text } = await scene.people.owner.get(scene.base);
    const policy = headers.get('content-security-policy') ?? '';
    expect(headers.get('cache-control')).toBe('no-store');
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      ...["style-src 'self'", 'img-src data:', "script-src 'self'", "connect-src 'self'"],
      ...["form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
    ]);
    expect(text).not.toMatch(/ style=| on[a-z]+=|<style|<script>/);
  });

  it('speaks Portuguese to whoever reads it', async () => {
    for (const { path } of inNavigation) {
      const headers = { 'accept-language': 'pt-BR,en;q=0.5' };
      const { text } = await scene.people.owner.get(scene.base + path, headers);
      expect(text).toContain('<html lang="pt-BR">');
      expect(text).toContain('Ir para o conteúdo');
    }
    const both = { 'accept-language': 'en-US,pt;q=0.5' };
    expect((await scene.people.owner.get(scene.base, both)).text).toContain('<html lang="en">');
  });
});

describe('the bare address', () => {
  const at = (method: string, accept: string) =>
    scene.api.call(method, '/', { headers: { accept } });
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it('leads a browser to the console, and is no address for a program', async () => {
    const opened = await fetch(`${scene.api.url}/`, {
      headers: { accept: browser },
      redirect: 'manual',
    });

    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/console']);
    for (const [method, accept] of [
      ['GET', '*/*'],
      ['GET', 'application/json'],
      ['POST', browser],
    ] as const) {
      const { status, body } = await at(method, accept);
      expect([method, accept, status, body.error?.code]).toEqual([
        method,
        accept,
        404,
        'not_found',
      ]);
    }
  });
});
