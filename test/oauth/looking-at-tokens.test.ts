import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { updateMember } from '../../src/members/changing.ts';
import { aFlow, callApi, type Flow, post, refresh, type Said, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let person: Person;
let flow: Flow;
let stranger: Flow;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
  flow = aFlow(scene, await anApp(person.ctx));
  stranger = aFlow(scene, await anApp(person.ctx));
});
afterAll(() => scene.close());

const introspect = (token: string, by = flow): Promise<Said> =>
  post(`${scene.issuer}/oauth2/introspect`, { token }, by);
const revoke = (token: string, by = flow): Promise<Said> =>
  post(`${scene.issuer}/oauth2/revoke`, { token }, by);

describe('introspection', () => {
  it('tells a client about its own tokens, both kinds', async () => {
    const tokens = await tokensOf(scene, flow, person);

    expect((await introspect(tokens.access_token)).body).toMatchObject({
      active: true,
      client_id: flow.clientId,
      sub: person.memberId,
      aud: scene.api,
      scope: 'contacts:read contacts:write',
      organization_id: person.ctx.organizationId,
      token_type: 'Bearer',
    });
    expect((await introspect(tokens.refresh_token ?? '')).body).toMatchObject({ active: true });
  });

  it('tells nothing about tokens of others, or that are none, or that ended', async () => {
    const tokens = await tokensOf(scene, flow, person);
    const [header, body] = tokens.access_token.split('.');
    const none = { active: false };

    expect((await introspect(tokens.access_token, stranger)).body).toEqual(none);
    expect((await introspect(tokens.refresh_token ?? '', stranger)).body).toEqual(none);
    expect((await introspect('x.y.z')).body).toEqual(none);
    expect((await introspect(`${header}.${body}.${'A'.repeat(86)}`)).body).toEqual(none);
    expect((await introspect('nothing')).body).toEqual(none);
    await revoke(tokens.access_token);
    expect((await introspect(tokens.access_token)).body).toEqual(none);
  });

  it('calls no token active while its person is a Viewer, and does again when they are no longer one', async () => {
    const own = await aPerson(scene);
    const tokens = await tokensOf(scene, flow, own);
    const both = async (): Promise<boolean[]> =>
      Promise.all(
        [tokens.access_token, tokens.refresh_token ?? ''].map(
          async (token) => (await introspect(token)).body.active,
        ),
      );
    const become = (role: 'viewer' | 'agent') => updateMember(own.ctx, own.memberId, { role });

    await become('viewer');
    expect(await both()).toEqual([false, false]);
    await become('agent');
    expect(await both()).toEqual([true, true]);
  });

  it('asks who the client is', async () => {
    const wrong = await introspect('x', { ...flow, secret: 'cs_live_wrong' });

    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client']);
  });
});

describe('revocation', () => {
  it('of an access token stops it at the next call', async () => {
    const tokens = await tokensOf(scene, flow, person);
    const answer = await revoke(tokens.access_token);

    expect(answer.status).toBe(200);
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(401);
  });

  it('of an access token ends nothing else: the app renews it, and is listed as connected', async () => {
    const tokens = await tokensOf(scene, flow, person);
    await revoke(tokens.access_token);
    const renewed = await refresh(scene, flow, tokens.refresh_token ?? '');

    expect(renewed.status).toBe(200);
    expect((await callApi(scene.baseUrl, renewed.body.access_token)).status).toBe(200);
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(401);
  });

  it('of an access token for the profile alone ends nothing else either', async () => {
    const scope = 'openid contacts:read offline_access';
    const own = aFlow(scene, { id: flow.clientId, secret: flow.secret }, { scope });
    const { refresh_token: first = '' } = await tokensOf(scene, own, person);
    const { access_token: opaque, refresh_token: second } = (
      await refresh(scene, own, first, { scope: 'openid' })
    ).body;
    await revoke(opaque);

    expect(opaque).not.toContain('.');
    expect((await introspect(opaque)).body).toEqual({ active: false });
    expect((await refresh(scene, own, second, { resource: scene.api })).status).toBe(200);
  });

  it('of a refresh token ends what was granted with it', async () => {
    const tokens = await tokensOf(scene, flow, person);
    await revoke(tokens.refresh_token ?? '');

    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(401);
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).body.error).toBe(
      'invalid_grant',
    );
  });

  it('by another client changes nothing', async () => {
    const tokens = await tokensOf(scene, flow, person);
    const answers = [
      await revoke(tokens.access_token, stranger),
      await revoke(tokens.refresh_token ?? '', stranger),
      await revoke('x.y.z'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(200);
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).status).toBe(200);
  });
});
