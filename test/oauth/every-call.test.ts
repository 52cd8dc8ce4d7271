import { generateKeyPairSync, sign } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { decodeJwt, exportJWK, importJWK, type JWTPayload, SignJWT } from 'jose';
import { asSystem } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { newId } from '../../src/ids.ts';
import { removeMember } from '../../src/members/removing.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { disconnect, listConnections } from '../../src/oauth/connections/service.ts';
import { readKeySet } from '../../src/oauth/tokens/signing-keys.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aFlow, callApi, type Flow, refresh, type Tokens, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type OAuthScene, openOAuthScene, type Process } from './support/scene.ts';

let scene: OAuthScene;
let other: Process;
let person: Person;
let appId: string;
let flow: Flow;
let tokens: Tokens;
beforeAll(async () => {
  scene = await openOAuthScene();
  other = await scene.another();
});
afterAll(() => scene.close());
beforeEach(async () => {
  person = await aPerson(scene);
  const app = await anApp(person.ctx);
  appId = app.id;
  flow = aFlow(scene, app);
  tokens = await tokensOf(scene, flow, person);
});

/** The next call, in both processes. */
const nextCalls = async (token = tokens.access_token): Promise<number[]> => [
  (await callApi(scene.baseUrl, token)).status,
  (await callApi(other.baseUrl, token)).status,
];

const change = (statement: string): Promise<unknown> =>
  rowsOf(person.ctx, statement, [person.memberId]);

describe('an access token', () => {
  it('stops at the next call in every process when its app is disconnected, and so does the refresh token', async () => {
    expect(await nextCalls()).toEqual([200, 200]);
    const [connection] = await transact(person.ctx, listConnections);
    await disconnect(person.ctx, connection?.id ?? '');

    expect(await nextCalls()).toEqual([401, 401]);
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).body.error).toBe(
      'invalid_grant',
    );
    const left = await asSystem(scene.database, (sql) =>
      sql.rows("select key from oauth_artifacts where payload ->> 'accountId' = $1", [
        person.memberId,
      ]),
    );
    expect(left).toEqual([]);
  });

  it('stops when the app is deleted', async () => {
    await deleteApp(scene.database, person.ctx, appId);

    expect(await nextCalls()).toEqual([401, 401]);
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).status).toBe(401);
  });

  it.each([
    ['becomes a Viewer', "update members set role = 'viewer' where id = $1"],
    ['is suspended', "update members set status = 'suspended' where id = $1"],
  ])('stops when the person %s, and cannot be refreshed', async (_, sql) => {
    await change(sql);

    expect(await nextCalls()).toEqual([401, 401]);
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).body.error).toBe(
      'invalid_grant',
    );
  });

  it('stops when the person leaves the workspace, and nothing of it is left', async () => {
    await removeMember(person.ctx, person.memberId);

    expect(await nextCalls()).toEqual([401, 401]);
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).body.error).toBe(
      'invalid_grant',
    );
    expect(await transact(person.ctx, listConnections)).toEqual([]);
  });

  it('reaches only what the person may do at that moment', async () => {
    const { clientId: id, secret } = flow;
    const wide = aFlow(scene, { id, secret }, { scope: 'campaigns:send contacts:read' });
    const { access_token } = await tokensOf(scene, wide, person);
    const send = (): Promise<Response> =>
      fetch(`${scene.api}/campaigns/${newId('cmp')}/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${access_token}` },
      });
    expect((await send()).status).toBe(404);
    await change("update members set role = 'agent' where id = $1");

    expect((await send()).status).toBe(403);
    expect(await nextCalls(access_token)).toEqual([200, 200]);
  });

  it('is for one resource', async () => {
    const forTools = aFlow(scene, await anApp(person.ctx), { resource: scene.mcp });
    const { access_token } = await tokensOf(scene, forTools, person);

    expect(await nextCalls(access_token)).toEqual([401, 401]);
    expect(await scene.oauth.access.findMember(access_token, scene.mcp)).toMatchObject({
      memberId: person.memberId,
      app: { id: forTools.clientId, name: 'Planilhas' },
    });
    expect(await scene.oauth.access.findMember(tokens.access_token, scene.mcp)).toBeNull();
  });

  it('without a resource is accepted nowhere', async () => {
    const own = aFlow(scene, await anApp(person.ctx));
    const { resource: _left, ...params } = own.params;
    const { access_token } = await tokensOf(scene, { ...own, params }, person);

    expect(await nextCalls(access_token)).toEqual([401, 401]);
    expect(await scene.oauth.access.findMember(access_token, scene.mcp)).toBeNull();
    expect((await callApi(scene.baseUrl, access_token)).body.error.message).toContain(
      'for another resource',
    );
  });
});

describe('a token that is not ours', () => {
  const signed = async (
    claims: Readonly<Record<string, unknown>>,
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> => {
    const keys = await readKeySet(scene);
    const [jwk] = keys?.jwks.keys ?? [];
    if (!jwk) throw new Error('no key');
    return new SignJWT(claims as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: jwk.kid ?? '', ...header })
      .sign(await importJWK(jwk, 'ES256'));
  };

  it('is refused though our key signed it, when a claim or the type is not right', async () => {
    const claims = decodeJwt(tokens.access_token);
    const past = Math.floor(Date.now() / 1_000) - 1;
    const stranger = await aPerson(scene);
    const wrong: Record<string, string> = {
      'another type': await signed(claims, { typ: 'JWT' }),
      'no type': await signed(claims, { typ: undefined }),
      'another issuer': await signed({ ...claims, iss: 'https://evil.example' }),
      'two audiences': await signed({ ...claims, aud: [scene.api, scene.mcp] }),
      'no audience': await signed({ ...claims, aud: undefined }),
      'an end in the past': await signed({ ...claims, exp: past }),
      'no end': await signed({ ...claims, exp: undefined }),
      'a life of years': await signed({ ...claims, exp: past + 10 * 365 * 24 * 3_600 }),
      'no time of issue': await signed({ ...claims, iat: undefined }),
      'a time of issue in the future': await signed({
        ...claims,
        iat: past + 3_600,
        exp: past + 4_200,
      }),
      'a beginning in the future': await signed({ ...claims, nbf: past + 600 }),
      'another member': await signed({ ...claims, sub: stranger.memberId }),
      'another workspace': await signed({
        ...claims,
        organization_id: stranger.ctx.organizationId,
      }),
      'another client': await signed({ ...claims, client_id: 'app_other' }),
      'no grant': await signed({ ...claims, grant_id: undefined }),
      'an unknown critical header': await signed(claims, { crit: ['x'], x: 1 }).catch(
        () => 'x.y.z',
      ),
    };

    for (const [name, token] of Object.entries(wrong))
      expect([name, (await callApi(scene.baseUrl, token)).status]).toEqual([name, 401]);
    expect((await callApi(scene.baseUrl, await signed(claims))).status).toBe(200);
  });

  it('is refused with no algorithm, with ours used as a secret, with a key of its own, with a signature of zeros', async () => {
    const [header = '', body = '', signature = ''] = tokens.access_token.split('.');
    const keys = await readKeySet(scene);
    const [jwk] = keys?.jwks.keys ?? [];
    const { d: _private, ...open } = jwk ?? {};
    const encode = (value: object): string =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = decodeJwt(tokens.access_token);
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: jwk?.kid ?? '' })
      .sign(Buffer.from(JSON.stringify(open)));
    const own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const theirs = encode({
      alg: 'ES256',
      typ: 'at+jwt',
      jwk: await exportJWK(own.publicKey),
      jku: 'http://127.0.0.1:1/keys',
      kid: '../../dev/null',
    });
    const withOwnKey = `${theirs}.${body}.${sign('sha256', Buffer.from(`${theirs}.${body}`), {
      key: own.privateKey,
      dsaEncoding: 'ieee-p1363',
    }).toString('base64url')}`;
    const wide = encode({ ...claims, scope: 'campaigns:send' });
    const wrong = [
      `${encode({ alg: 'none', typ: 'at+jwt' })}.${body}.`,
      `${header}.${body}.`,
      `${header}.${body}.${'A'.repeat(86)}`,
      `${header}.${wide}.${signature}`,
      `${tokens.access_token}=`,
      tokens.access_token.replace(/.$/, (last) => ({ A: 'B', Q: 'R', g: 'h', w: 'x' })[last] ?? ''),
      hmac,
      withOwnKey,
    ];

    for (const token of wrong) expect((await callApi(scene.baseUrl, token)).status).toBe(401);
  });

  it('is told where to get one', async () => {
    const { status, headers } = await callApi(scene.baseUrl, 'a.b.c');
    const metadata = `${scene.baseUrl}/.well-known/oauth-protected-resource/api/v1`;

    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer error="invalid_token", resource_metadata="${metadata}"`,
    );
    const refused = await callApi(scene.baseUrl, tokens.access_token, '/api/v1/numbers');
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="numbers:read", resource_metadata="${metadata}"`,
    );
  });
});
