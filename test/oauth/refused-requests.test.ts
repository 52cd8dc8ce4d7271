import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { aFlow, authorizeUrl } from './support/client.ts';
import { anApp, aPerson, REDIRECT } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let app: { id: string; secret: string };
beforeAll(async () => {
  scene = await openOAuthScene();
  app = await anApp((await aPerson(scene)).ctx);
});
afterAll(() => scene.close());

const begin = (changes: Readonly<Record<string, string>>): Promise<Response> =>
  new CookieBrowser().fetch(authorizeUrl(scene, aFlow(scene, app, changes)));

/** A client that nobody here made. */
async function registered(): Promise<string> {
  const answered = await fetch(`${scene.issuer}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: ['https://evil.example/cb'],
      token_endpoint_auth_method: 'none',
    }),
  });
  return ((await answered.json()) as { client_id: string }).client_id;
}

describe('a redirect URI', () => {
  it.each([
    'https://app.example.com/callback/',
    'https://app.example.com/callback?x=1',
    'https://app.example.com/callback#x',
    'https://app.example.com/Callback',
    'https://app.example.com/callback/../callback',
    'https://app.example.com:8443/callback',
    'https://APP.example.com/callback',
    'https://app.example.com.evil.example/callback',
    'https://user@app.example.com/callback',
    'http://app.example.com/callback',
    'https://evil.example/callback',
    'http://localhost/cb',
    'http://127.0.0.1/other',
    'http://127.0.0.1.nip.io/cb',
    'javascript:alert(1)',
    '',
  ])('that is not registered leads nowhere: %s', async (redirect_uri) => {
    const response = await begin({ redirect_uri });

    expect(response.status).toBe(400);
    expect(response.headers.get('location')).toBeNull();
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(await response.text()).not.toContain('<script');
  });

  it('on a loopback address may have another port', async () => {
    expect((await begin({ redirect_uri: 'http://127.0.0.1:49152/cb' })).status).toBe(303);
  });

  it('is not looked at for a client that nobody knows', async () => {
    const response = await begin({ client_id: 'app_<script>' });

    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(await response.text()).not.toContain('<script>');
  });
});

describe('a NUL character', () => {
  it.each(['client_id', 'state', 'login_hint', 'claims', 'unknown'])(
    'in %s is refused where the person is',
    async (name) => {
      const response = await begin({ [name]: 'a\0' });

      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(await response.text()).toContain('NUL');
    },
  );

  it.each(['token', 'introspect', 'revoke', 'userinfo', 'par'])(
    'in a form is refused by %s, however it is written',
    async (place) => {
      for (const body of ['client_id=a%00', 'state=a\0']) {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const url = `${scene.issuer}/oauth2/${place}`;
        const response = await fetch(url, { method: 'POST', headers, body });

        expect([response.status, await response.json()]).toEqual([
          400,
          {
            error: 'invalid_request',
            error_description: 'A parameter contains a NUL character.',
          },
        ]);
      }
    },
  );

  it.each([
    { client_name: 'A\ud800' },
    { client_uri: 'https://a.example/\0' },
    { redirect_uris: ['https://a.example/\ud800'] },
  ])('or half of one is refused in a registration: %j', async (metadata) => {
    const answered = await fetch(`${scene.issuer}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [REDIRECT], ...metadata }),
    });

    expect(answered.status).toBe(400);
    expect(await answered.json()).toMatchObject({ error: 'invalid_client_metadata' });
  });
});

describe('a request', () => {
  it.each([
    [{ code_challenge: '' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ response_mode: 'form_post' }, 'invalid_request'],
    [{ scope: 'everything' }, 'invalid_scope'],
    [{ resource: 'https://evil.example' }, 'invalid_target'],
    [{ request: 'e30.e30.' }, 'request_not_supported'],
    [{ request_uri: 'https://evil.example/r' }, 'request_uri_not_supported'],
    [{ prompt: 'none' }, 'login_required'],
  ])('with %j is refused at the app, in the query of its address: %s', async (changes, error) => {
    const response = await begin(changes);
    const told = new URL(response.headers.get('location') ?? '');
    const { error: said, iss, state, code } = Object.fromEntries(told.searchParams);

    expect([response.status, said]).toEqual([303, error]);
    expect(told.href.split('?')[0]).toBe(REDIRECT);
    expect([told.hash, iss, code]).toEqual(['', scene.issuer, undefined]);
    expect(state).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each(['numbers:write offline_access', 'offline_access', 'numbers:write everything'])(
    'for nothing that the app may have (%s) is refused before anybody is asked',
    async (scope) => {
      const response = await begin({ scope });
      const told = new URL(response.headers.get('location') ?? '').searchParams;

      expect([response.status, told.get('error')]).toEqual([303, 'invalid_scope']);
    },
  );

  it.each(['numbers:write contacts:read', 'openid'])(
    'for something that the app may have (%s) goes on to the person',
    async (scope) => {
      const response = await begin({ scope });

      expect(response.headers.get('location')).toContain('/oauth/authorize/');
    },
  );

  it.each([
    { scope: 'everything' },
    { response_mode: 'fragment' },
    { response_mode: 'form_post' },
    { response_type: 'token' },
    { prompt: 'none' },
  ])(
    '%j of a client that anybody registered is refused on a page of ours with a link',
    async (changes) => {
      const response = await begin({
        client_id: await registered(),
        redirect_uri: 'https://evil.example/cb',
        ...changes,
      });
      const page = await response.text();

      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
      expect(page).toContain('Return to evil.example');
      expect(page).not.toMatch(/<form|<script|http-equiv/);
      expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    },
  );

  it('of a client that registered itself and was removed says what the person can do about it', async () => {
    const removed = await begin({ client_id: 'dcr_gone' });
    const never = await begin({ client_id: 'app_gone' });
    const advice = 'remove the connection in your program and add it again';

    expect([removed.status, never.status]).toEqual([400, 400]);
    expect(await removed.text()).toContain(advice);
    expect(await never.text()).not.toContain(advice);
  });

  it('that cannot go on is explained in the language of the browser', async () => {
    const headers = { 'accept-language': 'pt-BR,pt;q=0.9' };
    const unknown = await fetch(authorizeUrl(scene, aFlow(scene, { id: 'app_x', secret: null })), {
      headers,
    });
    const evil = aFlow(
      scene,
      { id: await registered(), secret: null },
      { redirect_uri: 'https://evil.example/cb', scope: 'everything' },
    );
    const leaving = await fetch(authorizeUrl(scene, evil), { headers, redirect: 'manual' });

    expect(await unknown.text()).toContain('Nada foi dado a ele.');
    expect(await leaving.text()).toContain('Voltar para evil.example');
  });
});
