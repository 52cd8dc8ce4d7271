import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SCOPE_NAMES } from '../../src/access/scopes.ts';
import { TOOL_SCOPES } from '../../src/oauth/addresses.ts';
import { sendRaw } from '../support/http.ts';
import { aFlow, authorizeUrl, post } from './support/client.ts';
import { anApp, aPerson } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let flow: ReturnType<typeof aFlow>;
beforeAll(async () => {
  scene = await openOAuthScene();
  flow = aFlow(scene, await anApp((await aPerson(scene)).ctx));
});
afterAll(() => scene.close());

// biome-ignore lint/suspicious/noExplicitAny: metadata of every kind
const json = async (path: string): Promise<any> => (await fetch(scene.baseUrl + path)).json();

describe('the metadata', () => {
  it('names every address of the specification, below one issuer', async () => {
    const metadata = await json('/.well-known/oauth-authorization-server/api/auth');

    expect(metadata).toMatchObject({
      issuer: scene.issuer,
      authorization_endpoint: `${scene.issuer}/oauth2/authorize`,
      token_endpoint: `${scene.issuer}/oauth2/token`,
      registration_endpoint: `${scene.issuer}/oauth2/register`,
      revocation_endpoint: `${scene.issuer}/oauth2/revoke`,
      introspection_endpoint: `${scene.issuer}/oauth2/introspect`,
      userinfo_endpoint: `${scene.issuer}/oauth2/userinfo`,
      jwks_uri: `${scene.issuer}/jwks`,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      authorization_response_iss_parameter_supported: true,
      protected_resources: [scene.api, scene.mcp],
    });
    expect(metadata.scopes_supported).toEqual(
      expect.arrayContaining(['openid', 'offline_access', ...SCOPE_NAMES]),
    );
  });

  it('offers nothing that is off on purpose', async () => {
    const metadata = await json('/.well-known/oauth-authorization-server/api/auth');

    for (const name of [
      'backchannel_authentication_endpoint',
      'client_id_metadata_document_supported',
      'device_authorization_endpoint',
      'dpop_signing_alg_values_supported',
      'end_session_endpoint',
      'request_parameter_supported',
      'tls_client_certificate_bound_access_tokens',
    ])
      expect(metadata).not.toHaveProperty(name);
    expect(metadata.request_uri_parameter_supported).toBe(false);
  });

  it('is the same wherever a client looks for it', async () => {
    const places = [
      '/.well-known/oauth-authorization-server/api/auth',
      '/.well-known/openid-configuration/api/auth',
      '/api/auth/.well-known/openid-configuration',
      '/api/auth/.well-known/oauth-authorization-server',
    ];
    const [first, ...others] = await Promise.all(places.map(json));

    for (const other of others) expect(other).toEqual(first);
  });

  it('of each resource says who gives tokens for it', async () => {
    const api = await json('/.well-known/oauth-protected-resource/api/v1');
    const mcp = await json('/.well-known/oauth-protected-resource/api/mcp');

    expect(api).toMatchObject({ resource: scene.api, authorization_servers: [scene.issuer] });
    expect(api.scopes_supported).toEqual(SCOPE_NAMES);
    expect(mcp).toMatchObject({ resource: scene.mcp, authorization_servers: [scene.issuer] });
    expect(mcp.scopes_supported).toEqual(['offline_access', ...TOOL_SCOPES]);
    expect([api, mcp].map((one) => one.resource_documentation)).toEqual([
      `${scene.baseUrl}/docs/building-apps`,
      `${scene.baseUrl}/docs/connecting-agents`,
    ]);
  });

  it('never repeats the Host header, nor what a proxy that nobody trusts says', async () => {
    const { port } = new URL(scene.baseUrl);
    const asked = `GET /.well-known/oauth-authorization-server/api/auth HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(Number(port), asked);
    const path = authorizeUrl(scene, flow).slice(scene.baseUrl.length);
    const begun = await sendRaw(
      Number(port),
      `GET ${path} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );

    expect(answer).toContain(`"issuer":"${scene.issuer}"`);
    expect(begun).toContain(`${scene.baseUrl}/oauth/authorize/`);
    expect(`${answer}${begun}`).not.toContain('evil.example');
  });
});

describe('an address', () => {
  it.each([
    '/api/auth/oauth2/Token',
    '/api/auth/OAUTH2/register/',
    '/api/auth/oauth2/register/',
    '/api/auth/oauth2/register/dcr_x',
    '/api/auth/oauth2//token',
    '/api/auth/oauth2/%74oken',
    '/api/auth/session/end',
    '/api/auth/device',
    '/api/auth/oauth2/device_authorization',
    '/api/auth/interaction/x',
    '/api/auth',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/api/auth',
  ])('%s does not exist', async (path) => {
    for (const method of ['GET', 'POST'])
      expect((await fetch(scene.baseUrl + path, { method })).status).toBe(404);
  });

  it.each([
    ['GET', '/api/auth/oauth2/token'],
    ['PUT', '/api/auth/oauth2/register'],
    ['POST', '/api/auth/oauth2/authorize'],
    ['DELETE', '/api/auth/jwks'],
  ])('takes no other method: %s %s', async (method, path) => {
    expect((await fetch(scene.baseUrl + path, { method })).status).toBe(405);
  });

  it('is open to clients in browsers, without cookies, except where a person goes', async () => {
    const preflight = await fetch(`${scene.issuer}/oauth2/register`, {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('authorization');

    const headers = { origin: 'https://app.example' };
    for (const path of ['/api/auth/jwks', '/.well-known/oauth-protected-resource/api/v1']) {
      const answer = await fetch(scene.baseUrl + path, { headers });
      expect(answer.headers.get('access-control-allow-origin')).toBe('*');
      expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    }
    const person = await fetch(authorizeUrl(scene, flow), { headers, redirect: 'manual' });
    expect(person.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('takes nothing from the query where secrets are sent, and no body without an end', async () => {
    const { clientId, secret } = flow;
    const fields = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'y' };
    const query = new URLSearchParams({ client_id: clientId, client_secret: secret ?? '' });
    const inQuery = await post(`${scene.issuer}/oauth2/token?${query}`, fields, flow);
    const long = await post(`${scene.issuer}/oauth2/token`, { code: 'x'.repeat(70_000) }, flow);
    const userinfo = await fetch(`${scene.issuer}/oauth2/userinfo?access_token=x`);

    expect([inQuery.status, inQuery.body.error]).toEqual([400, 'invalid_request']);
    expect([long.status, long.body.error]).toEqual([413, 'invalid_request']);
    expect(userinfo.status).toBe(400);
  });

  it('answers with tokens that no cache keeps, and with no referrer', async () => {
    const answer = await post(`${scene.issuer}/oauth2/token`, { grant_type: 'x' }, flow);

    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
    const keys = await fetch(`${scene.issuer}/jwks`);
    expect(keys.headers.get('cache-control')).toBe('public, max-age=3600');
  });

  it.each([
    'password',
    'client_credentials',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
  ])('gives no token by the grant %s', async (grant_type) => {
    const { status, body } = await post(`${scene.issuer}/oauth2/token`, { grant_type }, flow);

    expect([status, body.error]).toEqual([400, 'unsupported_grant_type']);
  });
});
