import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AuditRecord, listAudit } from '../../src/audit/reading.ts';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import {
  aFlow,
  callApi,
  codeOf,
  exchange,
  type Flow,
  post,
  refresh,
  type Said,
  tokensOf,
} from './support/client.ts';
import { anApp, aPerson, type Person } from './support/people.ts';
import { type OAuthScene, openOAuthScene } from './support/scene.ts';

let scene: OAuthScene;
let person: Person;
let flow: Flow;
beforeAll(async () => {
  scene = await openOAuthScene();
  person = await aPerson(scene);
  flow = aFlow(scene, await anApp(person.ctx));
});
afterAll(() => scene.close());

const times = <T>(count: number, work: () => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, work));
const succeeded = (all: readonly Said[]): Said[] => all.filter(({ status }) => status === 200);

/** Moves what happened to a refresh token or code into the past. */
const passTime = (model: string, seconds: number): Promise<unknown> =>
  asSystem(scene.database, (sql) =>
    sql.rows(
      `update oauth_artifacts set consumed_at = consumed_at - $2 * interval '1 second' where model = $1`,
      [model, seconds],
    ),
  );

const entriesOf = ({ ctx: { organizationId } }: Person): Promise<AuditRecord[]> =>
  inWorkspace(scene.database, organizationId, (sql) =>
    listAudit({ sql, organizationId }, { before: null, limit: 100 }),
  );

describe('a code', () => {
  it('is exchanged once, by one of eight that try at the same time, whose tokens stay good', async () => {
    const code = await codeOf(scene, flow, person);
    const other = await scene.another();
    const all = await times(8, () => exchange(scene, flow, code));
    const [won, ...more] = succeeded(all);

    expect(more).toEqual([]);
    expect(all.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(7);
    expect((await callApi(other.baseUrl, won?.body.access_token)).status).toBe(200);
    expect((await refresh(scene, flow, won?.body.refresh_token)).status).toBe(200);
  });

  it('that is sent again later ends everything it gave', async () => {
    const code = await codeOf(scene, flow, person);
    const { body } = await exchange(scene, flow, code);
    const again = await exchange(scene, flow, code);

    expect([again.status, again.body.error]).toEqual([400, 'invalid_grant']);
    expect((await callApi(scene.baseUrl, body.access_token)).status).toBe(401);
    expect((await refresh(scene, flow, body.refresh_token)).body.error).toBe('invalid_grant');
    const [entry] = await entriesOf(person);
    expect([entry?.action, entry?.changes[0]?.to]).toEqual([
      'app.token_reused',
      'authorization_code',
    ]);
  });

  it('is bound to its client, address, verifier and resource, and a wrong try does not use it up', async () => {
    const code = await codeOf(scene, flow, person);
    const stranger = { ...flow, ...(await anApp(person.ctx)) };
    const wrong = [
      await exchange(scene, { ...flow, clientId: stranger.id, secret: stranger.secret }, code),
      await exchange(scene, flow, code, { redirect_uri: 'http://127.0.0.1/cb' }),
      await exchange(scene, flow, code, { code_verifier: 'x'.repeat(43) }),
      await exchange(scene, flow, code, { code_verifier: '' }),
      await exchange(scene, flow, code, { resource: scene.mcp }),
    ];

    expect(wrong.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect((await exchange(scene, flow, code)).status).toBe(200);
  });

  it('ends after 60 seconds', async () => {
    const code = await codeOf(scene, flow, person);
    await asSystem(scene.database, (sql) =>
      sql.rows(
        `update oauth_artifacts set payload = jsonb_set(payload, '{exp}', to_jsonb((payload ->> 'exp')::bigint - 60))
         where model = 'AuthorizationCode' and consumed_at is null`,
      ),
    );

    expect((await exchange(scene, flow, code)).body.error).toBe('invalid_grant');
  });
});

describe('a refresh token', () => {
  it('that twenty send at the same time gives all of them the first answer', async () => {
    const { refresh_token = '' } = await tokensOf(scene, flow, person);
    const all = await times(20, () => refresh(scene, flow, refresh_token));

    expect(succeeded(all)).toHaveLength(20);
    expect(new Set(all.map(({ body }) => body.refresh_token)).size).toBe(1);
    expect(new Set(all.map(({ body }) => body.access_token)).size).toBe(1);
    expect((await refresh(scene, flow, all[0]?.body.refresh_token)).status).toBe(200);
  });

  it('that is sent again within 30 seconds gets the first answer, and later ends the connection', async () => {
    const { refresh_token = '' } = await tokensOf(scene, flow, person);
    const first = await refresh(scene, flow, refresh_token);
    const second = await refresh(scene, flow, refresh_token);
    expect(second.body).toEqual(first.body);

    await passTime('RefreshToken', 31);
    const third = await refresh(scene, flow, refresh_token);
    expect([third.status, third.body.error]).toEqual([400, 'invalid_grant']);
    expect((await refresh(scene, flow, first.body.refresh_token)).body.error).toBe('invalid_grant');
    expect((await callApi(scene.baseUrl, first.body.access_token)).status).toBe(401);
  });

  it('that ends the connection so is in the log, with the app, the person and the address, once', async () => {
    const own = await aPerson(scene);
    const app = await anApp(own.ctx);
    const ownFlow = aFlow(scene, app);
    const { refresh_token = '' } = await tokensOf(scene, ownFlow, own);
    await refresh(scene, ownFlow, refresh_token);
    await passTime('RefreshToken', 31);
    await times(4, () => refresh(scene, ownFlow, refresh_token));

    const entries = await entriesOf(own);
    expect(entries.filter(({ action }) => action === 'app.token_reused')).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      action: 'app.token_reused',
      actor: { type: 'app', id: app.id, name: 'Planilhas', member_id: own.memberId },
      target: { type: 'app', id: app.id },
      changes: [
        { field: 'grant_type', from: null, to: 'refresh_token' },
        { field: 'member', from: own.memberId, to: null },
      ],
      ip: '127.0.0.1',
    });
  });

  it('that its app revokes ends the connection, which is in the log', async () => {
    const own = await aPerson(scene);
    const ownFlow = aFlow(scene, await anApp(own.ctx));
    const { refresh_token: token = '' } = await tokensOf(scene, ownFlow, own);
    const { status } = await post(`${scene.issuer}/oauth2/revoke`, { token }, ownFlow);

    expect(status).toBe(200);
    expect((await entriesOf(own))[0]).toMatchObject({
      action: 'app.disconnected',
      actor: { type: 'app', member_id: own.memberId },
      changes: [{ field: 'member', from: own.memberId, to: null }],
    });
  });

  it('is exchanged while somebody holds the app and its connection, waiting for neither', async () => {
    const { refresh_token = '' } = await tokensOf(scene, flow, person);
    const unused = "update oauth_connections set last_used_at = now() - interval '1 hour'";
    await asSystem(scene.database, (sql) => sql.rows(unused));
    const held = await asSystem(scene.database, async (sql) => {
      await sql.rows(unused);
      await sql.rows('update oauth_clients set last_used_at = now()');
      return refresh(scene, flow, refresh_token);
    });

    expect(held.status).toBe(200);
  });

  it('is not used up by a request that is refused', async () => {
    const { refresh_token = '' } = await tokensOf(scene, flow, person);
    const wide = await refresh(scene, flow, refresh_token, { scope: 'numbers:write' });
    const elsewhere = await refresh(scene, flow, refresh_token, { resource: scene.mcp });
    const stranger = await anApp(person.ctx);
    const theirs = await refresh(
      scene,
      { ...flow, clientId: stranger.id, secret: stranger.secret },
      refresh_token,
    );

    expect([wide.body.error, elsewhere.body.error, theirs.body.error]).toEqual([
      'invalid_scope',
      'invalid_target',
      'invalid_grant',
    ]);
    expect((await refresh(scene, flow, refresh_token)).status).toBe(200);
  });

  it('lives for 30 days from each rotation', async () => {
    const { refresh_token = '' } = await tokensOf(scene, flow, person);
    await refresh(scene, flow, refresh_token);
    const [row] = await asSystem(scene.database, (sql) =>
      sql.rows<{ lives: number }>(
        `select (payload ->> 'exp')::int - (payload ->> 'iat')::int as lives from oauth_artifacts
         where model = 'RefreshToken' and consumed_at is null order by expires_at desc limit 1`,
      ),
    );

    expect(row?.lives).toBe(30 * 24 * 3_600);
  });
});

describe('what is kept', () => {
  it('has no code, token or secret in it that could be used', async () => {
    const app = await anApp(person.ctx);
    const own = aFlow(scene, app);
    const code = await codeOf(scene, own, person);
    const first = await exchange(scene, own, code);
    const second = await refresh(scene, own, first.body.refresh_token);
    const rows = await asSystem(scene.database, async (sql) => [
      ...(await sql.rows('select * from oauth_artifacts')),
      ...(await sql.rows('select * from oauth_clients')),
      ...(await sql.rows('select * from oauth_grants')),
    ]);
    const text = JSON.stringify(rows);

    const secrets = [
      app.secret,
      code,
      ...[first, second].flatMap(({ body }) => [body.access_token, body.refresh_token]),
    ];
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).toContain(app.secret.slice(0, 12));
  });
});
