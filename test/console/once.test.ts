import { expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { createApp } from '../../src/oauth/apps/service.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene, type Fields } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const count = async (table: 'reminders' | 'api_keys' | 'pipelines'): Promise<number> => {
  const { organizationId } = scene.ctx;
  const rows = await inWorkspace(scene.database, organizationId, (sql) =>
    sql.rows(`select id from ${table} where organization_id = $1`, [organizationId]),
  );
  return rows.length;
};

/** What each form of the page carries, as it was shown now. */
async function shown(path: string): Promise<Fields> {
  const { text } = await scene.people.owner.get(path);
  const marks = ['_csrf', '_showing'].map((name) => {
    const [, value = ''] = new RegExp(`name="${name}" value="([^"]+)"`).exec(text) ?? [];
    expect(value).not.toBe('');
    return [name, value];
  });
  return Object.fromEntries(marks);
}

async function aReminder(): Promise<Fields> {
  const { id: number_id } = await aNumber(scene.ctx);
  const { id: contact_id } = await aContact(scene.ctx);
  return {
    action: 'create',
    title: 'Retorno',
    number_id,
    audience: 'contact',
    contact_id,
    text: 'Oi!',
    repeat: 'daily',
    time: '09:00',
    time_zone: 'America/Sao_Paulo',
  };
}

it('makes one reminder of a form that a double click sent twice, and leads both to it', async () => {
  const path = `${scene.base}/reminders/new`;
  const wish = await aReminder();
  const form = { ...(await shown(path)), ...wish };
  const { owner } = scene.people;

  const both = await Promise.all([owner.post(path, form), owner.post(path, form)]);
  const again = await owner.post(path, form);

  const places = [...both, again].map(({ headers }) => headers.get('location'));
  expect(places[0]).toMatch(/\/reminders\/rem_/);
  expect(new Set(places).size).toBe(1);
  expect(await count('reminders')).toBe(1);
});

it('makes two of the same form filled in on two pages', async () => {
  const path = `${scene.base}/reminders/new`;
  const wish = await aReminder();
  const before = await count('reminders');
  for (const form of [await shown(path), await shown(path)])
    expect((await scene.people.owner.post(path, { ...form, ...wish })).status).toBe(303);

  expect(await count('reminders')).toBe(before + 2);
});

it('shows the key once also to whoever clicked twice', async () => {
  const path = `${scene.base}/api-keys/new`;
  const wish = { action: 'create', name: 'ERP', lifetime: '30d', scopes: 'contacts:read' };
  const form = { ...(await shown(path)), ...wish };
  const { owner } = scene.people;
  await owner.post(path, form);
  await owner.post(path, form);

  expect((await owner.get(`${scene.base}/api-keys`)).text).toMatch(/sk_live_[0-9a-f]{32}/);
  expect(await count('api_keys')).toBe(1);
});

it('keeps what it answers to the second click without the key in it', async () => {
  const path = `${scene.base}/api-keys/new`;
  const wish = { action: 'create', name: 'CRM', lifetime: '30d', scopes: 'contacts:read' };
  await scene.people.owner.post(path, { ...(await shown(path)), ...wish });

  const kept = await rowsOf(scene.ctx, 'select * from idempotency_keys');

  expect(kept).not.toEqual([]);
  expect(JSON.stringify(kept)).not.toContain('sk_live_');
});

it('gives an app one new secret for a double click, and keeps the one in use for a day', async () => {
  const app = { name: 'ERP', redirectUris: ['https://erp.example/cb'], scopes: ['contacts:read'] };
  const { id } = await createApp(scene.ctx, app);
  const place = `${scene.base}/apps/${id}`;
  const form = { ...(await shown(place)), action: 'rotate' };
  const { owner } = scene.people;
  const used = async () => {
    const { rows } = await scene.database.system.query<{ now: string; before: string }>(
      'select secret_hash as now, previous_secret_hash as before from oauth_clients where id = $1',
      [id],
    );
    return rows[0];
  };
  const before = await used();

  await Promise.all([owner.post(place, form), owner.post(place, form)]);

  expect((await used())?.before).toEqual(before?.now);
});

it('performs what was refused before, from the same page', async () => {
  const path = `${scene.base}/pipelines/new`;
  const form = { ...(await shown(path)), action: 'create', name: 'Vendas', won: '', lost: '' };
  const { owner } = scene.people;

  expect((await owner.post(path, { ...form, open: '' })).status).toBe(422);
  expect((await owner.post(path, { ...form, open: '' })).status).toBe(422);
  const answer = await owner.post(path, { ...form, open: 'Novo', won: 'Ganho', lost: 'Perdido' });
  expect([answer.status, await count('pipelines')]).toEqual([303, 1]);
});
