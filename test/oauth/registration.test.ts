import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { guardRegistration } from '../../src/oauth/clients/registration.ts';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { opened } from '../support/opened.ts';
import { ask } from './support/browser.ts';
import { aFlow, authorizeUrl, callApi, exchange, type Said, tokensOf } from './support/client.ts';
import { aPerson, REDIRECT } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(openOAuthScene);

async function register(metadata: unknown): Promise<Said> {
  const response = await fetch(`${scene.issuer}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

const withUri = (uri: string): object => ({ redirect_uris: [uri] });

describe('a client that registers itself', () => {
  it('gets an id and a secret that is shown only once, and works for any person who authorizes it', async () => {
    const { status, body, headers } = await register({
      client_name: 'Planner',
      redirect_uris: [REDIRECT],
      scope: 'contacts:read offline_access',
    });

    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toMatchObject({
      client_name: 'Planner',
      redirect_uris: [REDIRECT],
      scope: 'contacts:read offline_access',
      token_endpoint_auth_method: 'client_secret_basic',
      client_secret_expires_at: 0,
    });
    expect(body.client_id).toMatch(/^dcr_[\w-]{24}$/);
    expect(body.client_secret).toMatch(/^cs_live_[\w-]{43}$/);
    expect(body).not.toHaveProperty('registration_access_token');
    const app = { id: body.client_id as string, secret: body.client_secret as string };
    const flow = aFlow(scene, app);
    const tokens = await tokensOf(scene, flow, await aPerson(scene));
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(200);
    expect(tokens.scope).toBe('contacts:read');
  });

  it('without a secret is held to PKCE, and one with a secret to the way it registered', async () => {
    const person = await aPerson(scene);
    const open = await register({ ...withUri(REDIRECT), token_endpoint_auth_method: 'none' });
    expect(open.body).not.toHaveProperty('client_secret');
    const flow = aFlow(scene, { id: open.body.client_id, secret: null });
    expect((await tokensOf(scene, flow, person)).access_token).toBeDefined();

    const { body } = await register({ ...withUri(REDIRECT), require_pkce: false });
    const plain = aFlow(
      scene,
      { id: body.client_id, secret: body.client_secret },
      { code_challenge: '' },
    );
    expect((await new CookieBrowser().fetch(authorizeUrl(scene, plain))).status).toBe(400);
    const inBody = await exchange(scene, { ...plain, secret: null }, 'x', {
      client_secret: body.client_secret,
    });
    expect([inBody.status, inBody.body.error]).toEqual([401, 'invalid_client']);
    const hash = createHash('sha256').update(body.client_secret).digest();
    const near = [
      'wrong',
      'kept-as-a-hash',
      `${body.client_secret}x`,
      body.client_secret.slice(0, -1),
    ];
    for (const secret of [...near, hash.toString('hex'), hash.toString('base64')])
      expect((await exchange(scene, { ...plain, secret }, 'x')).status).toBe(401);
    expect((await exchange(scene, { ...plain, secret: body.client_secret }, 'x')).body.error).toBe(
      'invalid_grant',
    );
  });

  it.each([
    'http://evil.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    'myapp://callback',
    'https://app.example/cb#fragment',
    'https://user:pass@app.example/cb',
    'https://*.example/cb',
    'https://app.example/c b',
    '/relative',
    'http://127.0.0.1.nip.io/cb',
    'http://localhost.evil.example/cb',
  ])('cannot have answers sent to %s', async (uri) => {
    const { status, body } = await register(withUri(uri));

    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
  });

  it.each([
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{}, 'invalid_redirect_uri'],
    [
      { redirect_uris: Array.from({ length: 11 }, (_, i) => `https://a.example/${i}`) },
      'invalid_redirect_uri',
    ],
    [{ ...withUri(REDIRECT), client_name: 'A\u202Eb' }, 'invalid_client_metadata'],
    [{ ...withUri(REDIRECT), client_name: '\u3164\u3164' }, 'invalid_client_metadata'],
    [{ ...withUri(REDIRECT), client_name: 'A\nb' }, 'invalid_client_metadata'],
    [{ ...withUri(REDIRECT), client_name: 'x'.repeat(81) }, 'invalid_client_metadata'],
    [
      { ...withUri(REDIRECT), token_endpoint_auth_method: 'private_key_jwt' },
      'invalid_client_metadata',
    ],
    [{ ...withUri(REDIRECT), response_types: ['token'] }, 'invalid_client_metadata'],
    ['{', 'invalid_client_metadata'],
    ['[]', 'invalid_client_metadata'],
  ])('is refused with %j: %s', async (metadata, error) => {
    const { status, body } = await register(metadata);

    expect([status, body.error]).toEqual([400, error]);
  });

  it('brings nothing that the server would fetch or show', async () => {
    const { body } = await register({
      ...withUri(REDIRECT),
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 'http://127.0.0.1:1/jwks',
      sector_identifier_uri: 'https://127.0.0.1:1/s',
      request_uris: ['https://127.0.0.1:1/r'],
      software_statement: 'x.y.z',
      api_scope: 'campaigns:send',
      client_uri: 'http://not-https.example',
    });

    const kept = [
      'logo_uri',
      'jwks_uri',
      'sector_identifier_uri',
      'request_uris',
      'software_statement',
      'api_scope',
      'client_uri',
    ];
    expect(kept.filter((name) => name in body)).toEqual([]);
  });

  it('is shown as registered by an unknown party', async () => {
    const { body } = await register({
      ...withUri('http://localhost:3000/cb'),
      client_name: '<b>Bank</b>',
    });
    const flow = aFlow(
      scene,
      { id: body.client_id, secret: null },
      { redirect_uri: 'http://localhost:5000/cb' },
    );
    const { view } = await ask(new CookieBrowser(), authorizeUrl(scene, flow));

    expect(view.client).toMatchObject({
      name: '<b>Bank</b>',
      verification: 'unverified',
      createdByWorkspace: null,
    });
    expect(view.redirectHost).toBe('localhost:5000');
  });

  it('is one of thirty in a minute from one address; the next waits', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, () => register(withUri(REDIRECT))));
    const refused = all.filter(({ status }) => status === 429);

    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(refused[0]?.body.error).toBe('temporarily_unavailable');
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

// Asked of the rule itself: an address may register thirty times a minute.
describe('the kind of a client', () => {
  const HTTPS = 'https://app.example/cb';

  it.each([
    [[HTTPS], undefined, 'web'],
    [[HTTPS], 'native', 'native'],
    [[HTTPS, 'http://127.0.0.1/cb'], undefined, 'native'],
    [['http://[::1]/cb'], 'web', 'native'],
    [['https://localhost/cb'], 'native', 'web'],
  ])(
    'with the redirects %j that calls itself %s is %s, and each redirect is kept once',
    (uris, asked, type) => {
      const sent = { redirect_uris: [...uris, ...uris], application_type: asked };

      expect(guardRegistration(sent)).toMatchObject({
        redirect_uris: uris,
        application_type: type,
      });
    },
  );

  it.each([
    'https:app.example/cb',
    'https:/app.example/cb',
    'https:///app.example/cb',
    'http:localhost/cb',
    'http://127.1/cb',
    'http://2130706433/cb',
    'http://[0:0:0:0:0:0:0:1]/cb',
  ])('is not asked where a redirect is only read as an allowed one: %s', (uri) => {
    expect(() => guardRegistration(withUri(uri))).toThrow(
      expect.objectContaining({ code: 'invalid_redirect_uri' }),
    );
  });

  it('keeps the redirects that may be used where a program names one of its own scheme beside them', () => {
    const usable = ['https://editor.example/cb', 'http://localhost:8787/cb'];

    expect(guardRegistration({ redirect_uris: ['editor://cb', ...usable] })).toMatchObject({
      redirect_uris: usable,
    });
    for (const wrong of ['http://evil.example/cb', '/relative', 'https://a.example/#x'])
      expect(() => guardRegistration({ redirect_uris: [...usable, wrong] })).toThrow(
        expect.objectContaining({ code: 'invalid_redirect_uri' }),
      );
  });

  it('is web or native, and nothing else', () => {
    expect(() => guardRegistration({ ...withUri(HTTPS), application_type: 'phone' })).toThrow(
      expect.objectContaining({ code: 'invalid_client_metadata' }),
    );
  });
});
