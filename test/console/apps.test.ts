import { describe, expect, it } from '@jest/globals';
import { newId } from '../../src/ids.ts';
import { createApp } from '../../src/oauth/apps/service.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const scene = opened(() => aConsoleScene());

const list = () => `${scene.base}/apps`;
const INPUT = {
  name: 'Planilhas',
  redirectUris: ['https://planilhas.example.com/back'],
  scopes: ['contacts:read'],
};
describe('OAuth apps in the console', () => {
  it('are created with a secret that is shown once', async () => {
    const { owner } = scene.people;
    const done = await owner.send(`${list()}/new`, 'create', {
      name: INPUT.name,
      redirect_uris: `${INPUT.redirectUris[0]}\r\nhttp://localhost:8080/back\r\n`,
      scopes: INPUT.scopes,
    });
    const place = done.headers.get('location') ?? '';
    const { text } = await owner.get(place);
    const secret = /cs_live_[A-Za-z0-9_-]+(?=<)/.exec(text)?.[0] ?? '-';
    expect(secret.length).toBeGreaterThan(30);
    expect(text).toContain('unverified');
    expect((await owner.get(place)).text).not.toContain(secret);
    expect(await rowsOf(scene.ctx, 'select name, scopes from oauth_clients')).toEqual([
      { name: 'Planilhas', scopes: ['contacts:read'] },
    ]);
  });

  it('are refused with every problem at its field, and keep what was written', async () => {
    const { status, text } = await scene.people.owner.send(`${list()}/new`, 'create', {
      name: 'Planilhas',
      redirect_uris: 'https://ok.example.com\r\nhttp://evil.example.com',
    });
    expect(status).toBe(422);
    expect(text).toContain(
      '<a href="#f-redirect-uris">Redirect URIs: http://evil.example.com must be https',
    );
    expect(text).toContain('<a href="#f-scopes">');
    expect(text).toContain('https://ok.example.com\nhttp://evil.example.com</textarea>');
  });

  it('get a new secret only from somebody who signed in within ten minutes', async () => {
    const { owner } = scene.people;
    const { id } = await createApp(scene.ctx, INPUT);
    const secretOf = () =>
      rowsOf(scene.ctx, 'select secret_prefix from oauth_clients where id = $1', [id]);
    const before = await secretOf();
    const signIn = (age: string) =>
      scene.database.system.query(
        'update person_sessions set signed_in_at = now() - $1::interval where user_id in (select user_id from members where id = $2)',
        [age, owner.memberId],
      );

    await signIn('11 minutes');
    expect((await owner.get(`${list()}/${id}`)).text).toContain('/sign-in?next=');
    expect((await owner.send(`${list()}/${id}`, 'rotate')).status).toBe(403);
    expect(await secretOf()).toEqual(before);

    await signIn('1 minute');
    expect((await owner.send(`${list()}/${id}`, 'rotate')).status).toBe(303);
    expect((await owner.get(`${list()}/${id}`)).text).toContain('the one before works until');
    expect(await secretOf()).not.toEqual(before);

    expect((await owner.send(`${list()}/${id}`, 'rotate', { stop: 'on' })).status).toBe(303);
    expect((await owner.get(`${list()}/${id}`)).text).not.toContain('the one before works until');
  });

  it('are put forward for review, changed and deleted', async () => {
    const { admin } = scene.people;
    const { id } = await createApp(scene.ctx, INPUT);
    const place = `${list()}/${id}`;
    expect((await admin.get(place)).text).toContain('value="review"');
    await admin.send(place, 'review', { data_use: 'Copies contacts into a sheet.' });
    const waiting = (await admin.get(place)).text;
    expect(waiting).not.toContain('value="review"');
    expect(waiting).toContain('in review');
    expect(waiting).not.toContain('unverified');
    await admin.send(place, 'save', {
      name: 'Planilhas 2',
      redirect_uris: INPUT.redirectUris[0] ?? '',
      scopes: ['contacts:read', 'segments:read'],
    });
    const kept = 'select name, scopes from oauth_clients where id = $1';
    expect(await rowsOf(scene.ctx, kept, [id])).toEqual([
      { name: 'Planilhas 2', scopes: ['contacts:read', 'segments:read'] },
    ]);
    const renamed = (await admin.get(place)).text;
    expect([renamed.includes('in review'), renamed.includes('unverified')]).toEqual([true, false]);
    expect((await admin.send(place, 'delete')).headers.get('location')).toBe(list());
    expect(await rowsOf(scene.ctx, kept, [id])).toEqual([]);
  });

  it('name the endpoints that they created before they are disconnected or deleted, and on the page of each', async () => {
    const { owner, admin } = scene.people;
    const { id } = await createApp(scene.ctx, INPUT);
    await rowsOf(
      scene.ctx,
      `insert into oauth_connections (organization_id, id, client_id, member_id, created_at) values ($1, $2, $3, $4, now())`,
      [scene.ctx.organizationId, newId('cnx'), id, owner.memberId],
    );
    const endpoint = await anEndpoint(scene.ctx, 'https://planilhas.example.com/in', [
      'message.sent',
    ]);
    await rowsOf(
      scene.ctx,
      `update webhook_endpoints set name = 'Vendas <b>', app_id = $2, app_name = 'Planilhas', member_id = $3 where id = $1`,
      [endpoint.id, id, owner.memberId],
    );

    const says = 'created through it and are paused: Vendas &lt;b&gt;.';
    const pages = [`${scene.base}/connections`, `${list()}/${id}`];
    for (const page of pages) expect((await admin.get(page)).text).toContain(says);
    const { text: dialog } = await admin.get(pages[0] ?? '');
    expect(dialog).toContain(
      'Automations that it activated, and campaigns and reminders that it scheduled, go on.',
    );
    const shown = (await admin.get(`${scene.base}/webhooks/${endpoint.id}`)).text;
    expect(shown).toMatch(/<dt>Through the app<\/dt>\s*<dd>Planilhas<\/dd>/);

    await rowsOf(scene.ctx, "update webhook_endpoints set status = 'paused'");
    for (const page of pages) expect((await admin.get(page)).text).not.toContain('are paused');
  });

  it('of another workspace are neither shown nor changed', async () => {
    const other = await aWorkspace(scene.database);
    const { id } = await createApp(other.ctx, INPUT);
    const { owner } = scene.people;
    expect((await owner.get(`${list()}/${id}`)).status).toBe(404);
    for (const action of ['save', 'rotate', 'review', 'delete']) {
      const wish = { name: 'x', redirect_uris: 'https://x.example.com', scopes: 'contacts:read' };
      const sent = await owner.send(`${list()}/${id}`, action, { ...wish, data_use: 'x' });
      expect([action, sent.status]).toEqual([action, 404]);
    }
  });
});
