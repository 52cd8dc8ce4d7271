import { describe, expect, it } from '@jest/globals';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { cleanUpAuthorization } from '../../src/oauth/upkeep.ts';
import { createAttempts } from '../../src/people/attempts.ts';
import { inviteMember } from '../../src/people/invitations.ts';
import { forgetPastSignIns } from '../../src/people/upkeep.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { runUpkeep } from '../support/upkeep.ts';
import { aFlow, callApi, codeOf, exchange, post, refresh, tokensOf } from './support/client.ts';
import { anApp, aPerson, type Person, REDIRECT } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(openOAuthScene);

const rows = <T>(text: string, params: readonly unknown[] = []): Promise<T[]> =>
  asSystem(scene.database, (sql) => sql.rows<T>(text, params));

const aRegistered = (id: string, created: string, used: string | null): Promise<unknown> =>
  rows(
    `insert into oauth_clients (id, source, name, metadata, scopes, created_at, last_used_at)
     values ($1, 'registered', 'Agent', $4, '{}', now() - $2::interval, now() - $3::interval)`,
    [
      id,
      created,
      used,
      { client_name: 'Agent', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' },
    ],
  );

const clientsLeft = async (): Promise<string[]> => {
  const left = await rows<{ id: string }>('select id from oauth_clients order by id');
  return left.map(({ id }) => id);
};

/** Makes what was granted in a workspace so much older. Its codes and opaque tokens are past then. */
async function agePast({ ctx }: Person, by: string): Promise<void> {
  await rowsOf(ctx, 'update oauth_grants set created_at = created_at - $1::interval', [by]);
  await rows(
    `update oauth_artifacts set expires_at = now() - interval '10 minutes' where model in ('AuthorizationCode', 'Interaction')`,
  );
}

describe('the upkeep of the authorization server', () => {
  it('removes clients that registered and were never used in a day, or not for 90, and keeps apps', async () => {
    const { ctx } = await aPerson(scene);
    const app = await anApp(ctx);
    await rows('update oauth_clients set last_used_at = null where id = $1', [app.id]);
    await aRegistered('dcr_never', '25 hours', null);
    await aRegistered('dcr_young', '23 hours', null);
    await aRegistered('dcr_old', '200 days', '91 days');
    await aRegistered('dcr_busy', '200 days', '89 days');

    await runUpkeep({
      workflow: 'tendAuthorization',
      history: 'tend-authorization',
      database: scene.database,
      keyring: scene.keyring,
    });
    expect(await clientsLeft()).toEqual([app.id, 'dcr_busy', 'dcr_young'].sort());
  });

  it('keeps a client that people connected later than a day after it registered', async () => {
    const person = await aPerson(scene);
    await aRegistered('dcr_slow', '25 hours', null);
    const flow = aFlow(scene, { id: 'dcr_slow', secret: null });
    const code = await codeOf(scene, flow, person);
    await cleanUpAuthorization(scene);
    const { body: tokens } = await exchange(scene, flow, code);
    await cleanUpAuthorization(scene);

    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(200);
    expect((await refresh(scene, flow, tokens.refresh_token)).status).toBe(200);
  });

  it('keeps a client that renews its tokens, though it calls nothing', async () => {
    await aRegistered('dcr_quiet', '200 days', null);
    const flow = aFlow(scene, { id: 'dcr_quiet', secret: null });
    const tokens = await tokensOf(scene, flow, await aPerson(scene));
    expect((await cleanUpAuthorization(scene)).clients).toBe(0);

    await rows("update oauth_clients set last_used_at = now() - interval '91 days'");
    await rows("update oauth_connections set last_used_at = now() - interval '91 days'");
    expect((await refresh(scene, flow, tokens.refresh_token ?? '')).status).toBe(200);
    await cleanUpAuthorization(scene);
    expect(await clientsLeft()).toContain('dcr_quiet');
  });

  it('writes into the log of each workspace that a client was removed which acted there', async () => {
    await aRegistered('dcr_left', '200 days', null);
    const flow = aFlow(scene, { id: 'dcr_left', secret: null });
    const here = await aPerson(scene);
    const there = await aPerson(scene);
    const second = await aPerson(scene, { ctx: here.ctx });
    for (const person of [here, there, second]) await tokensOf(scene, flow, person);
    await rows(
      "update oauth_clients set last_used_at = now() - interval '91 days' where id = 'dcr_left'",
    );
    const { clients } = await cleanUpAuthorization(scene);

    const saidIn = ({ ctx: { organizationId } }: Person): Promise<unknown[]> =>
      inWorkspace(scene.database, organizationId, (sql) =>
        sql.rows(
          `select actor ->> 'name' as by, target ->> 'id' as app, changes -> 0 ->> 'from' as member from audit_entries
           where action = 'app.disconnected' order by 3`,
        ),
      );
    const gone = (member: string) => ({ by: 'unused app', app: 'dcr_left', member });
    expect(clients).toBe(1);
    expect(await clientsLeft()).not.toContain('dcr_left');
    expect(await saidIn(here)).toEqual([here.memberId, second.memberId].toSorted().map(gone));
    expect(await saidIn(there)).toEqual([gone(there.memberId)]);
  });

  it('removes grants of which nothing is left beside a newer one, and keeps the last one', async () => {
    const person = await aPerson(scene);
    const app = await anApp(person.ctx);
    const once = aFlow(scene, app, { scope: 'contacts:write' });
    const lasting = aFlow(scene, app, { scope: 'contacts:read offline_access' });
    await tokensOf(scene, once, person);
    await tokensOf(scene, once, person);
    const { refresh_token: token = '' } = await tokensOf(scene, lasting, person);
    await tokensOf(scene, once, person);
    await agePast(person, '50 minutes');
    expect((await cleanUpAuthorization(scene)).grants).toBe(0);
    await agePast(person, '20 minutes');

    expect((await cleanUpAuthorization(scene)).grants).toBe(2);
    const refreshed = await refresh(scene, lasting, token);
    expect(refreshed.status).toBe(200);
    const kept =
      "select from oauth_artifacts where model = 'Grant' and payload ->> 'clientId' = $1";
    expect(await rows(kept, [app.id])).toHaveLength(2);

    const over = { token: refreshed.body.refresh_token };
    expect((await post(`${scene.issuer}/oauth2/revoke`, over, lasting)).status).toBe(200);
    expect(await rows('select from oauth_connections where client_id = $1', [app.id])).toEqual([]);
    expect(await rows(kept, [app.id])).toEqual([]);
  });

  it('removes codes, tokens and answers that are past, and nothing that still counts', async () => {
    const person = await aPerson(scene);
    const flow = aFlow(scene, await anApp(person.ctx));
    const tokens = await tokensOf(scene, flow, person);
    const next = await refresh(scene, flow, tokens.refresh_token ?? '');
    await rows(
      `insert into oauth_denied_tokens values ('past', now() - interval '1 hour'), ('near', now() + interval '1 hour')`,
    );
    await rows(
      `update oauth_artifacts set expires_at = now() - interval '1 hour' where model in ('AuthorizationCode', 'Interaction')`,
    );
    await rows(
      `update oauth_artifacts set consumed_at = now() - interval '2 minutes' where answer is not null`,
    );
    const done = await cleanUpAuthorization(scene);

    expect(done.artifacts).toBeGreaterThan(0);
    expect(await rows('select jti from oauth_denied_tokens')).toEqual([{ jti: 'near' }]);
    expect(await rows('select key from oauth_artifacts where answer is not null')).toEqual([]);
    expect(await cleanUpAuthorization(scene)).toMatchObject({
      artifacts: 0,
      deniedTokens: 0,
      more: false,
    });
    expect((await callApi(scene.baseUrl, next.body.access_token)).status).toBe(200);
    expect((await refresh(scene, flow, next.body.refresh_token)).status).toBe(200);
  });

  it('keeps an exchanged refresh token for its 30 days, so that a stolen one still ends the connection', async () => {
    const person = await aPerson(scene);
    const flow = aFlow(scene, await anApp(person.ctx));
    const { refresh_token: stolen = '' } = await tokensOf(scene, flow, person);
    const next = await refresh(scene, flow, stolen);
    await rows(
      `update oauth_artifacts set consumed_at = now() - interval '29 days' where consumed_at is not null`,
    );
    await cleanUpAuthorization(scene);

    expect((await refresh(scene, flow, stolen)).body.error).toBe('invalid_grant');
    expect((await refresh(scene, flow, next.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  it('removes sessions, links and questions that nobody can use any more, and no other', async () => {
    const { ctx, memberId } = await aPerson(scene);
    const [who] = await rows<{ user_id: string }>('select user_id from members where id = $1', [
      memberId,
    ]);
    const userId = who?.user_id;
    await rows(
      `insert into person_sessions (id, token_hash, user_id, signed_in_at, last_seen_at, expires_at)
       select 'ses_' || name, sha256(name::bytea), $1, now(), now() - seen, now() + ends
       from (values ('good', interval '13 days', interval '1 day'), ('ended', '0', '-1 hour'), ('idle', '15 days', '1 day'))
         s (name, seen, ends)`,
      [userId],
    );
    await rows(
      `insert into password_resets (token_hash, user_id, expires_at)
       values ('\\x01', $1, now() - interval '1 hour'), ('\\x02', $1, now() + interval '1 hour')`,
      [userId],
    );
    await rows(
      `insert into passkey_challenges values ('past', null, now() - interval '1 hour'), ('asked', null, now() + interval '1 minute')`,
    );
    // Without what the tests before counted: on a busy machine it is long ago too.
    await rows('delete from rate_windows');
    await rows("select wms.take_request('ses_gone', 600), wms.take_request('ses_here', 600)");
    await rows("update rate_windows set second = second - 3600 where credential_id = 'ses_gone'");
    const attempts = createAttempts(scene);
    const parts = { mailer: null, baseUrl: scene.baseUrl, attempts };
    const input = { name: 'Bia', role: 'agent' } as const;
    const late = await inviteMember(ctx, parts, { ...input, email: 'late@example.com' });
    const fresh = await inviteMember(ctx, parts, { ...input, email: 'fresh@example.com' });
    await rowsOf(
      ctx,
      `update invitations set expires_at = now() - interval '1 day' where member_id = $1`,
      [late.member.id],
    );

    expect(await forgetPastSignIns(scene.database)).toEqual({ removed: 6, more: false });

    expect(await rows('select id from person_sessions where user_id = $1', [userId])).toEqual([
      { id: 'ses_good' },
    ]);
    expect(await rows('select token_hash from password_resets')).toHaveLength(1);
    expect(await rows('select challenge from passkey_challenges')).toEqual([
      { challenge: 'asked' },
    ]);
    expect(await rows('select member_id from invitations')).toEqual([
      { member_id: fresh.member.id },
    ]);
    expect(
      await rows("select credential_id as of from rate_windows where credential_id like 'ses_%'"),
    ).toEqual([{ of: 'ses_here' }]);
    expect(await forgetPastSignIns(scene.database)).toEqual({ removed: 0, more: false });
  });
});
