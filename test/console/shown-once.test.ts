import { expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

let ahead = 0;
const clock = { now: () => new Date(Date.now() + ahead), skewMs: 0 };
const scene = opened(() => aConsoleScene([], true, { clock }));
const encrypted = opened(() => aConsoleScene([], true, { baseUrl: 'https://console.test' }));

const SECRET = /sk_live_[0-9a-f]{32}/;
const WISH = { name: 'ERP', lifetime: '90d', scopes: 'contacts:read' };

/** The cookie that brings a new key of the Owner's to the next page. */
async function cookieOfNewKey(): Promise<string> {
  const { owner } = scene.people;
  const { headers } = await owner.send(`${scene.base}/api-keys/new`, 'create', WISH);
  return /wms_flash=[^;]+/.exec(headers.getSetCookie().join())?.[0] ?? '';
}

/** Whether the page of keys shows it to whoever has this session, as long as the page is shown at all. */
async function isShown(cookie: string, token: string, base = scene.base): Promise<boolean> {
  const cookies = { cookie: `wms_session=${token}; ${cookie}` };
  const { status, text } = await scene.people.owner.get(`${base}/api-keys`, cookies);
  expect(status).toBe(200);
  return SECRET.test(text);
}

it('a new key is shown to nobody else who comes to have the cookie', async () => {
  const cookie = await cookieOfNewKey();

  expect(await isShown(cookie, scene.people.admin.token)).toBe(false);
  expect(await isShown(cookie, scene.people.owner.token)).toBe(true);
});

it('a new key is not shown among the keys of another workspace of the same person', async () => {
  const { owner } = scene.people;
  const other = await aWorkspace(scene.database);
  const there = await aMember(other.ctx, { role: 'owner' });
  const [row] = await rowsOf<{ user_id: string }>(
    scene.ctx,
    'select user_id from members where id = $1',
    [owner.memberId],
  );
  await inWorkspace(scene.database, other.workspaceId, (sql) =>
    sql.rows('update members set user_id = $2 where id = $1', [there.id, row?.user_id]),
  );

  const shown = await isShown(await cookieOfNewKey(), owner.token, `/console/${other.workspaceId}`);

  expect(shown).toBe(false);
});

it('a new key is shown for a minute, however long somebody keeps the cookie', async () => {
  const cookie = await cookieOfNewKey();
  const { token } = scene.people.owner;

  ahead = 50_000;
  expect(await isShown(cookie, token)).toBe(true);
  ahead = 61_000;
  expect(await isShown(cookie, token)).toBe(false);
});

it('the cookie of a new key travels by https alone where the console does', async () => {
  const { owner } = encrypted.people;
  const cookie = `__Host-wms_session=${owner.token}`;
  const place = `${encrypted.base}/api-keys/new`;
  const { text } = await owner.get(place, { cookie });
  const [, _csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(text) ?? [];

  const { headers } = await owner.post(place, { ...WISH, _csrf, action: 'create' }, { cookie });

  expect(headers.getSetCookie().join()).toMatch(
    /wms_flash=[^;]+; Path=\/console; Max-Age=60; HttpOnly; SameSite=Strict; Secure/,
  );
});
