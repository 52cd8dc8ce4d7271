import { describe, expect, it } from '@jest/globals';
import { sendTestEvent } from '../../src/webhooks/deliveries/testing.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aConsoleScene } from './support/scene.ts';

const ORIGIN = 'http://127.0.0.1:9';

const scene = opened(() => aConsoleScene([ORIGIN]));

const list = () => `${scene.base}/webhooks`;
const an = (ctx = scene.ctx) => anEndpoint(ctx, `${ORIGIN}/hooks`, ['message.sent']);
const rows = <R>(text: string, params: unknown[] = [], ctx = scene.ctx) =>
  rowsOf<R>(ctx, text, params);

describe('endpoints in the console', () => {
  it('are added with what they listen to, and show their secret once', async () => {
    const { owner } = scene.people;
    const done = await owner.send(`${list()}/new`, 'create', {
      name: 'Pedidos',
      url: `${ORIGIN}/orders`,
      events: ['message.sent', 'contact.created'],
    });
    expect(done.status).toBe(303);
    const place = done.headers.get('location') ?? '';

    const { text } = await owner.get(place);
    const secret = /whsec_[A-Za-z0-9+/=]{44}/.exec(text)?.[0] ?? '-';
    expect(secret).toMatch(/^whsec_/);
    expect(text).toContain('<summary>Python</summary>');
    expect((await owner.get(place)).text).not.toContain(secret);
    const [kept] = await rows('select name, url, events from webhook_endpoints');
    expect(kept).toEqual({
      name: 'Pedidos',
      url: `${ORIGIN}/orders`,
      events: ['message.sent', 'contact.created'],
    });
    expect((await owner.get(list())).text).toContain('1 of 30 endpoints on Escala');
  });

  it('are refused with the rule at the field, in the language of the reader', async () => {
    const { owner } = scene.people;
    const sent = { name: 'x', url: 'https://10.0.0.1/hooks', events: ['message.sent'] };
    const { status, text } = await owner.send(`${list()}/new`, 'create', sent);
    expect(status).toBe(422);
    expect(text).toContain(
      '<a href="#f-url">Address: The URL must name a host, not an IP address.</a>',
    );
    expect(text).toContain('value="https://10.0.0.1/hooks"');

    const checked = await owner.get(`${list()}/new?url=http%3A%2F%2Fexample.com`, {
      'accept-language': 'pt-BR',
    });
    expect(checked.text).toContain('O endereço começa com https://.');
  });

  it('with two faults are refused with both, each at its field', async () => {
    const { owner } = scene.people;
    const wrong = { name: 'Pedidos', url: 'http://example.com/hooks' };
    const { status, text } = await owner.send(`${scene.base}/webhooks/new`, 'create', wrong);

    expect(status).toBe(422);
    expect(text).toContain('id="f-url-error"');
    expect(text).toContain('id="f-events-error">Tick at least one event.');
    expect(text).toContain('<a href="#f-events">Events: Tick at least one event.</a>');
    expect(text).toContain('<a href="#f-url">');
  });

  it('are changed, paused, resumed and deleted by those who manage them', async () => {
    const { admin } = scene.people;
    const { id } = await an();
    const place = `${list()}/${id}`;
    const state = async () =>
      (
        await rows(
          'select name, status, deleted_at is not null as gone from webhook_endpoints where id = $1',
          [id],
        )
      )[0];

    await admin.send(`${place}/edit`, 'save', {
      name: 'Outro',
      url: `${ORIGIN}/hooks`,
      events: ['message.received'],
    });
    expect(await state()).toEqual({ name: 'Outro', status: 'active', gone: false });
    await admin.send(place, 'pause');
    expect(await state()).toMatchObject({ status: 'paused' });
    const offered = async () => {
      const { text } = await admin.get(place);
      return ['pause', 'resume'].filter((step) => text.includes(`name="action" value="${step}"`));
    };
    expect((await admin.get(place)).text).toContain('goes out when you resume');
    expect(await offered()).toEqual(['resume']);
    await admin.send(place, 'resume');
    expect(await state()).toMatchObject({ status: 'active' });
    expect(await offered()).toEqual(['pause']);
    const done = await admin.send(place, 'delete');
    expect(done.headers.get('location')).toBe(list());
    expect(await state()).toMatchObject({ gone: true });
    expect((await admin.get(place)).status).toBe(404);
  });

  it('get a new secret, which is shown once', async () => {
    const { id, secret } = await an();
    await scene.people.owner.send(`${list()}/${id}`, 'rotate');

    const { text } = await scene.people.owner.get(`${list()}/${id}`);
    expect(text).toMatch(/whsec_[A-Za-z0-9+/=]{44}/);
    expect(text).not.toContain(secret);
    expect(text).toContain('The one before does so too until');
  });

  it('get one that signs alone where the secret before can no longer be read, and the page says so', async () => {
    const { id } = await an();
    await rows("update webhook_endpoints set secret = 'damaged' where id = $1", [id]);
    await scene.people.owner.send(`${list()}/${id}`, 'rotate');

    const { text } = await scene.people.owner.get(`${list()}/${id}`);
    expect(text).toMatch(/whsec_[A-Za-z0-9+/=]{44}/);
    expect(text).toContain('The new secret signs alone, from now on.');
  });

  it('that receive more than the reader sees keep address and secret, and the page says why', async () => {
    const member = await aMember(scene.ctx, { role: 'admin', visibility: 'assigned' });
    const narrow = await scene.visitor(member.id);
    const { id } = await an();
    const place = `${list()}/${id}`;
    const moved = { name: 'Outro', url: `${ORIGIN}/mine`, events: ['message.sent'] };

    const kept = await narrow.send(`${place}/edit`, 'save', moved);
    expect(kept.status).toBe(403);
    expect(kept.text).toContain('This endpoint may receive what you do not see.');
    expect(kept.text).toContain(`value="${ORIGIN}/mine"`);
    const rotated = await narrow.send(place, 'rotate');
    expect(rotated.status).toBe(403);
    expect(rotated.text).toContain('This endpoint may receive what you do not see.');
    const named = { ...moved, url: `${ORIGIN}/hooks` };
    expect((await narrow.send(`${place}/edit`, 'save', named)).status).toBe(303);
    expect(
      await rows('select name, url, secret_version from webhook_endpoints where id = $1', [id]),
    ).toEqual([{ name: 'Outro', url: `${ORIGIN}/hooks`, secret_version: 1 }]);
  });

  it('of another workspace are neither shown nor changed', async () => {
    const other = await aWorkspace(scene.database);
    const { id } = await an(other.ctx);
    const delivery = await sendTestEvent(other.ctx, id, {});
    const place = `${list()}/${id}`;

    for (const path of [place, `${place}/edit`, `${place}/deliveries/${delivery.id}`])
      expect([path, (await scene.people.owner.get(path)).status]).toEqual([path, 404]);
    for (const action of ['pause', 'rotate', 'test', 'resend_failing', 'delete']) {
      const sent = await scene.people.owner.send(place, action);
      expect([action, sent.status]).toEqual([action, 404]);
    }
    const [kept] = await rows(
      'select status, secret_version, deleted_at from webhook_endpoints where id = $1',
      [id],
      other.ctx,
    );
    expect(kept).toEqual({ status: 'active', secret_version: 1, deleted_at: null });
  });
});
