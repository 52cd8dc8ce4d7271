import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oauth4webapi from 'oauth4webapi';
import * as openid from 'openid-client';
import { CookieBrowser } from '../support/cookie-browser.ts';
import { answer, ask } from './support/browser.ts';
import { callApi } from './support/client.ts';
import { anApp, aPerson, type Person, REDIRECT } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let person: Person;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
});
afterAll(() => scene.close());

/** The person grants everything; the address that the app is called at. */
async function granted(address: URL): Promise<URL> {
  const browser = new CookieBrowser();
  const asked = await ask(browser, address);
  return answer(browser, asked, person.approval(asked.view.scopes));
}

describe('openid-client, an independent client', () => {
  it('finds the server, signs a person in, refreshes, looks at its token and revokes it', async () => {
    const app = await anApp(person.ctx);
    const config = await openid.discovery(
      new URL(scene.issuer),
      app.id,
      undefined,
      openid.ClientSecretBasic(app.secret),
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT,
      scope: 'contacts:read offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: scene.api,
      state,
    });
    const tokens = await openid.authorizationCodeGrant(
      config,
      await granted(address),
      { pkceCodeVerifier: verifier, expectedState: state },
      { resource: scene.api },
    );
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(200);

    const fresh = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', {
      resource: scene.api,
    });
    expect(await openid.tokenIntrospection(config, fresh.access_token)).toMatchObject({
      active: true,
      sub: person.memberId,
    });
    await openid.tokenRevocation(config, fresh.refresh_token ?? '');
    expect((await callApi(scene.baseUrl, fresh.access_token)).status).toBe(401);
  });
});

describe('oauth4webapi, an independent client', () => {
  it('registers itself, pushes its request and gets tokens', async () => {
    const insecure = { [oauth4webapi.allowInsecureRequests]: true } as const;
    const issuer = new URL(scene.issuer);
    const found = await oauth4webapi.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure });
    const server = await oauth4webapi.processDiscoveryResponse(issuer, found);
    const registered = await oauth4webapi.dynamicClientRegistrationRequest(
      server,
      { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none', client_name: 'Agent' },
      insecure,
    );
    const client = await oauth4webapi.processDynamicClientRegistrationResponse(registered);
    const verifier = oauth4webapi.generateRandomCodeVerifier();
    const pushed = await oauth4webapi.pushedAuthorizationRequest(
      server,
      client,
      oauth4webapi.None(),
      {
        response_type: 'code',
        redirect_uri: REDIRECT,
        scope: 'contacts:read offline_access',
        code_challenge: await oauth4webapi.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        resource: scene.api,
      },
      insecure,
    );
    const { request_uri } = await oauth4webapi.processPushedAuthorizationResponse(
      server,
      client,
      pushed,
    );
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
    const params = oauth4webapi.validateAuthResponse(server, client, await granted(address));
    const exchanged = await oauth4webapi.authorizationCodeGrantRequest(
      server,
      client,
      oauth4webapi.None(),
      params,
      REDIRECT,
      verifier,
      { additionalParameters: { resource: scene.api }, ...insecure },
    );
    const tokens = await oauth4webapi.processAuthorizationCodeResponse(server, client, exchanged);

    expect(tokens.refresh_token).toBeDefined();
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(200);
  });
});
