import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { answer, ask } from './support/browser.ts';
import { aFlow, authorizeUrl, exchange, type Flow, post, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let person: Person;
let app: { id: string; secret: string };
let flow: Flow;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
  app = await anApp(person.ctx);
  flow = aFlow(scene, app);
});
afterAll(() => scene.close());

const begin = (changes: Readonly<Record<string, string>>): Promise<Response> =>
  new CookieBrowser().fetch(authorizeUrl(scene, aFlow(scene, app, changes)));

/** What the app is told at its own address, or null when the person stays with us. */
const toldOf = (response: Response): URLSearchParams | null => {
  const location = response.headers.get('location');
  return location ? new URL(location).searchParams : null;
};

describe('a request', () => {
  it('is answered by the browser that began it, and by no other', async () => {
    const ana = new CookieBrowser();
    const eve = new CookieBrowser();
    const asked = await ask(ana, authorizeUrl(scene, flow));
    const looked = await eve.fetch(asked.page);
    const approved = await eve.fetch(asked.page, {
      method: 'POST',
      headers: { 'x-test-approval': JSON.stringify(person.approval(['contacts:read'])) },
    });
    const resumed = await eve.fetch(
      asked.page.replace('/oauth/authorize/', '/api/auth/oauth2/authorize/'),
    );

    expect([looked.status, approved.status, resumed.status]).toEqual([404, 404, 400]);
    await answer(ana, asked, person.approval(['contacts:read']));
    const again = await ana.fetch(asked.page);
    expect(again.status).toBe(404);
  });

  it('is asked of the person each time, and tokens are of who answered, though the browser is the same', async () => {
    const other = await aPerson(scene, { ctx: person.ctx });
    const browser = new CookieBrowser();
    const subjects: unknown[] = [];
    for (const who of [person, other, person]) {
      const own = aFlow(scene, app);
      const asked = await ask(browser, authorizeUrl(scene, own));
      const back = await answer(browser, asked, who.approval(asked.view.scopes));
      const { body } = await exchange(scene, own, back.searchParams.get('code') ?? '');
      subjects.push(decodeJwt(body.access_token).sub);
    }

    expect(subjects).toEqual([person.memberId, other.memberId, person.memberId]);
  });

  it('cannot be approved as somebody else, by a Viewer, or with an old sign-in where a new one is asked', async () => {
    const viewer = await aPerson(scene, { ctx: person.ctx, role: 'viewer' });
    const stranger = await aPerson(scene);
    const approve = async (approval: object, changes = {}): Promise<number> => {
      const browser = new CookieBrowser();
      const { page } = await ask(browser, authorizeUrl(scene, aFlow(scene, app, changes)));
      const headers = { 'x-test-approval': JSON.stringify(approval) };
      return (await browser.fetch(page, { method: 'POST', headers })).status;
    };
    const scopes = ['contacts:read'];
    const anHourAgo = new Date(Date.now() - 3_600_000);
    const mine = person.approval(scopes);
    const openId = { scope: 'openid contacts:read' };

    expect(await approve(viewer.approval(scopes))).toBe(403);
    expect(await approve({ ...mine, session: stranger.approval(scopes).session })).toBe(403);
    expect(await approve({ ...mine, organizationId: stranger.ctx.organizationId })).toBe(403);
    expect(await approve(person.approval(scopes, anHourAgo), { prompt: 'login' })).toBe(409);
    expect(await approve(person.approval(scopes, anHourAgo), { ...openId, max_age: '60' })).toBe(
      409,
    );
    expect(await approve(person.approval(scopes, anHourAgo), { ...openId, max_age: '7200' })).toBe(
      303,
    );
  });

  it.each([{ prompt: 'login' }, { prompt: 'login consent' }, { max_age: '0' }, { max_age: '1' }])(
    'that asks for a new sign-in is approved after one: %j',
    async (changes) => {
      const own = aFlow(scene, app, { scope: 'openid contacts:read', ...changes });
      const browser = new CookieBrowser();
      const asked = await ask(browser, authorizeUrl(scene, own));
      const anew = new Date(+new Date(asked.view.beganAt) + 1_000);
      const back = await answer(browser, asked, person.approval(asked.view.scopes, anew));
      const { body } = await exchange(scene, own, back.searchParams.get('code') ?? '');

      expect(asked.view.promptLogin || asked.view.maxAge !== null).toBe(true);
      expect(body.scope).toBe('contacts:read');
    },
  );

  it('gives no more than the app registered for', async () => {
    const asked = await ask(
      new CookieBrowser(),
      authorizeUrl(scene, aFlow(scene, app, { scope: 'contacts:read numbers:write' })),
    );

    expect(asked.view.scopes).toEqual(['contacts:read']);
  });

  it('may be pushed beforehand, and is then used once', async () => {
    const own = aFlow(scene, app);
    const pushed = await post(`${scene.issuer}/oauth2/par`, own.params, own);
    expect(pushed.status).toBe(201);
    const url = `${scene.issuer}/oauth2/authorize?${new URLSearchParams({
      client_id: app.id,
      request_uri: pushed.body.request_uri,
    })}`;
    const browser = new CookieBrowser();
    const asked = await ask(browser, url);
    const back = await answer(browser, asked, person.approval(['contacts:read', 'offline_access']));
    const said = await exchange(scene, own, back.searchParams.get('code') ?? '');

    expect(said.body).toMatchObject({ scope: 'contacts:read' });
    expect(said.body.refresh_token).toBeDefined();
    const again = await new CookieBrowser().fetch(url);
    expect([again.status, again.headers.get('location')]).toEqual([400, null]);
  });
});

describe('signing in with OpenID', () => {
  it('tells the app who the person is, in a token that opens nothing else', async () => {
    const own = aFlow(scene, app, { scope: 'openid profile email', nonce: 'n1' });
    const { resource: _none, ...params } = own.params;
    const tokens = await tokensOf(scene, { ...own, params }, person);
    const userinfo = await fetch(`${scene.issuer}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = decodeJwt(tokens.id_token ?? '');

    expect(await userinfo.json()).toMatchObject({
      sub: person.memberId,
      organization_id: person.ctx.organizationId,
      name: 'Pessoa admin',
    });
    expect(claims).toMatchObject({
      iss: scene.issuer,
      aud: app.id,
      sub: person.memberId,
      nonce: 'n1',
    });
    expect(await scene.oauth.access.findMember(tokens.id_token ?? '', scene.api)).toBeNull();
    expect(await scene.oauth.access.findMember(tokens.access_token, scene.api)).toBeNull();
    expect(toldOf(await begin({ prompt: 'none' }))?.get('error')).toBe('login_required');
  });
});
