import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { listApiKeys } from '../../src/api-keys/service.ts';
import { inWorkspace } from '../../src/db/database.ts';
import type { Route } from '../../src/http/route.ts';
import { everyRoute, nameOf } from '../support/every-route.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const list = () => `${scene.base}/api-keys`;
const keysOf = (ctx = scene.ctx) =>
  inWorkspace(scene.database, ctx.organizationId, (sql) => listApiKeys({ ...ctx, sql }));

/** As the API's door does; what comes within a minute is not written down again. */
const useFrom = (key: string, ip: string): Promise<unknown> =>
  scene.database.reads.query('select * from wms.enter($1, 600, $2)', [
    createHash('sha256').update(key).digest(),
    ip,
  ]);

describe('the page of API keys', () => {
  it('shows a new key once, with a command, and never again', async () => {
    const { owner } = scene.people;
    const done = await owner.send(`${list()}/new`, 'create', {
      name: 'ERP',
      lifetime: '90d',
      scopes: ['contacts:read', 'campaigns:send'],
    });
    expect([done.status, done.headers.get('location')]).toEqual([303, list()]);
    const cookie = done.headers.getSetCookie().join();
    expect(cookie).toMatch(/HttpOnly; SameSite=Strict/);
    expect(cookie).not.toContain('sk_live_');

    const { text } = await owner.get(list());
    const key = /sk_live_[0-9a-f]{32}/.exec(text)?.[0] ?? '';
    expect(text).toContain(`Authorization: Bearer ${key}`);
    expect((await owner.get(list())).text).not.toContain(key);
    const [kept] = await keysOf();
    expect(kept).toMatchObject({ name: 'ERP', scopes: ['contacts:read', 'campaigns:send'] });
    expect(key.startsWith(kept?.prefix ?? '-')).toBe(true);
    expect(kept?.created_by).toBe(owner.memberId);
  });

  it('keeps what was written, and says at the fields what is wrong', async () => {
    const before = await keysOf();
    const { status, text } = await scene.people.owner.send(`${list()}/new`, 'create', {
      name: ' ',
      lifetime: '90d',
      scopes: [],
    });

    expect(status).toBe(422);
    expect(text).toContain('<a href="#f-name">');
    expect(text).toContain('<a href="#f-scopes">What it may do: Give at least one scope.</a>');
    expect(text).toMatch(/id="f-name"[^>]*aria-invalid="true"/);
    expect(await keysOf()).toEqual(before);
  });

  it('offers every scope, and points out the one that sends to many people', async () => {
    const { text } = await scene.people.owner.get(`${list()}/new`);
    for (const scope of SCOPE_NAMES) expect(text).toContain(`value="${scope}"`);
    expect(text.match(/class="choice danger"/g)).toHaveLength(1);
    expect(text).toMatch(/class="choice danger"><input[^>]*value="campaigns:send"/);
  });

  it('says of each scope everything that cannot be undone with it', async () => {
    const { text } = await scene.people.owner.get(`${list()}/new`);
    const sentences = new Map(
      [...text.matchAll(/value="(\w+:\w+)"[\s\S]*?<\/label>/g)].map(([all, scope]) => [scope, all]),
    );
    const doing = (route: Route): string =>
      route.method === 'DELETE'
        ? 'delete'
        : (/^\/v1\/\w+\/:id\/(cancel|merge|publish)$/.exec(route.path)?.[1] ?? '');
    const unsaid = everyRoute.filter((route) => {
      const said = sentences.get(route.scope ?? '') ?? '';
      const done = doing(route);
      return done !== '' && !said.includes(done) && !(done === 'delete' && said.includes('cancel'));
    });

    expect(unsaid.map(nameOf)).toEqual([]);
  });

  it('begins with what a preset names', async () => {
    const { text } = await scene.people.owner.get(`${list()}/new?preset=webhooks`);
    const ticked = [...text.matchAll(/value="([a-z]+:[a-z]+)" checked/g)].map(([, name]) => name);
    expect(ticked).toEqual(['webhooks:read', 'webhooks:write']);
  });

  it('revokes a key for good, and says before when it was last used', async () => {
    const { id, key } = await anApiKey(scene.ctx);
    expect((await scene.people.admin.get(list())).text).toContain('It was never used.');
    await useFrom(key, '203.0.113.7');
    await useFrom(key, '198.51.100.1');

    const { text } = await scene.people.admin.get(list());
    expect(text).toContain('It was last used on');
    expect(text).toContain('was made or changed with it goes on');
    expect(text).toContain('from 203.0.113.7');
    expect(text).not.toContain('198.51.100.1');

    const done = await scene.people.admin.send(list(), 'revoke', { id });
    expect(done.status).toBe(303);
    const found = (await keysOf()).find((key) => key.id === id);
    expect(found?.status).toBe('revoked');
    expect(text).toContain(`value="${id}"`);
    expect((await scene.people.admin.get(list())).text).not.toContain(`value="${id}"`);
    const again = await scene.people.admin.send(list(), 'revoke', { id });
    expect([again.status, again.text.includes('role="alert"')]).toEqual([409, true]);
  });

  it('never touches the key of another workspace', async () => {
    const other = await aWorkspace(scene.database);
    const { id } = await anApiKey(other.ctx);

    expect((await scene.people.owner.send(list(), 'revoke', { id })).status).toBe(404);
    expect((await keysOf(other.ctx)).map(({ status }) => status)).toEqual(['active']);
  });
});
