import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { answer, ask } from './support/browser.ts';
import {
  aFlow,
  authorizeUrl,
  callApi,
  codeOf,
  exchange,
  refresh,
  tokensOf,
} from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let person: Person;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
});
afterAll(() => scene.close());

describe('an app', () => {
  it('gets tokens that act for the person who authorized it, and reaches what was granted', async () => {
    const app = await anApp(person.ctx);
    const flow = aFlow(scene, app);
    const tokens = await tokensOf(scene, flow, person);
    const claims = decodeJwt(tokens.access_token);

    expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 600 });
    expect(tokens.refresh_token).toBeDefined();
    expect(decodeProtectedHeader(tokens.access_token)).toMatchObject({
      alg: 'ES256',
      typ: 'at+jwt',
    });
    expect(claims).toMatchObject({
      iss: scene.issuer,
      aud: scene.api,
      sub: person.memberId,
      client_id: app.id,
      organization_id: person.ctx.organizationId,
      scope: 'contacts:read contacts:write',
    });
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(600);

    expect(await callApi(scene.baseUrl, tokens.access_token)).toMatchObject({ status: 200 });
    const refused = await callApi(scene.baseUrl, tokens.access_token, '/api/v1/numbers');
    expect(refused.status).toBe(403);
  });

  it('gets a new pair for its refresh token, and its state and the issuer back', async () => {
    const flow = aFlow(scene, await anApp(person.ctx));
    const browser = new CookieBrowser();
    const asked = await ask(browser, authorizeUrl(scene, flow));
    const back = await answer(browser, asked, person.approval(asked.view.scopes));

    expect(back.searchParams.get('state')).toBe(flow.params['state']);
    expect(back.searchParams.get('iss')).toBe(scene.issuer);
    const code = back.searchParams.get('code') ?? '';
    const first = await exchange(scene, flow, code);
    const second = await refresh(scene, flow, first.body.refresh_token);
    expect(second.status).toBe(200);
    expect(second.body.refresh_token).not.toBe(first.body.refresh_token);
    expect(await callApi(scene.baseUrl, second.body.access_token)).toMatchObject({ status: 200 });
  });

  it('that also asks who the person is gets what it was granted, where it names no resource again', async () => {
    const scope = 'openid profile contacts:read offline_access';
    const flow = aFlow(scene, await anApp(person.ctx), { scope });
    const code = await codeOf(scene, flow, person);
    const { resource: _once, ...params } = flow.params;
    const first = await exchange(scene, { ...flow, params }, code);
    const second = await refresh(scene, flow, first.body.refresh_token);
    const same = await refresh(scene, flow, second.body.refresh_token, { scope });

    for (const { body } of [first, second, same]) {
      expect(body.scope).toBe('contacts:read');
      expect((await callApi(scene.baseUrl, body.access_token)).status).toBe(200);
    }
    expect(decodeJwt(first.body.id_token)).toMatchObject({ name: 'Pessoa admin' });
  });

  it('is shown to the person with what it asks for, and gets only what they grant', async () => {
    const app = await anApp(person.ctx);
    const flow = aFlow(scene, app, { scope: 'contacts:read contacts:write' });
    const browser = new CookieBrowser();
    const asked = await ask(browser, authorizeUrl(scene, flow));

    expect(asked.view).toMatchObject({
      client: {
        id: app.id,
        name: 'Planilhas',
        verification: 'unverified',
        createdByWorkspace: 'Padaria Aurora',
      },
      scopes: ['contacts:read', 'contacts:write'],
      resource: scene.api,
      redirectHost: 'app.example.com',
      promptLogin: false,
      maxAge: null,
    });
    const back = await answer(browser, asked, person.approval(['contacts:read']));
    const { body } = await exchange(scene, flow, back.searchParams.get('code') ?? '');
    expect(body.scope).toBe('contacts:read');
    expect(body.refresh_token).toBeUndefined();
  });

  it('is told when the person declines', async () => {
    const flow = aFlow(scene, await anApp(person.ctx));
    const browser = new CookieBrowser();
    const back = await answer(browser, await ask(browser, authorizeUrl(scene, flow)), null);

    expect(back.searchParams.get('error')).toBe('access_denied');
    expect(back.searchParams.get('state')).toBe(flow.params['state']);
  });
});
