import { describe, expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { lockConnections } from '../../src/oauth/connections/locking.ts';
import { disconnect, listConnections } from '../../src/oauth/connections/service.ts';
import { cleanUpAuthorization } from '../../src/oauth/upkeep.ts';
import { statementsWaiting, untilWaiting } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { auditActions } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';
import { aFlow, callApi, codeOf, exchange, post, refresh, tokensOf } from './support/client.ts';
import { anApp, aPerson, REDIRECT } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(openOAuthScene);

describe('a connection', () => {
  it('is given back by its app while the person ends it, neither in the way of the other', async () => {
    const person = await aPerson(scene);
    const flow = aFlow(scene, await anApp(person.ctx));
    const { refresh_token: token = '' } = await tokensOf(scene, flow, person);

    const { revoked } = await transact(person.ctx, async (tx) => {
      const [connection] = await listConnections(tx);
      await lockConnections(tx.sql, tx.organizationId, flow.clientId);
      const revoked = post(`${scene.issuer}/oauth2/revoke`, { token }, flow);
      await untilWaiting(scene.database.system);
      await disconnect(tx, connection?.id ?? '');
      return { revoked };
    });

    expect((await revoked).status).toBe(200);
    expect((await refresh(scene, flow, token)).body.error).toBe('invalid_grant');
  });

  it('is ended by the person while its app is deleted: the log tells so once', async () => {
    const [owner, person] = [await aPerson(scene), await aPerson(scene)];
    const app = await anApp(owner.ctx);
    await tokensOf(scene, aFlow(scene, app), person);

    const { deleted } = await transact(person.ctx, async (tx) => {
      const [connection] = await listConnections(tx);
      await disconnect(tx, connection?.id ?? '');
      const deleted = deleteApp(scene.database, owner.ctx, app.id);
      await untilWaiting(scene.database.system);
      return { deleted };
    });
    await deleted;

    expect(await auditActions(person.ctx, app.id)).toEqual(['app.connected', 'app.disconnected']);
  });

  it('is a client’s first, who registered days ago: the upkeep that looks meanwhile keeps it', async () => {
    const person = await aPerson(scene);
    await asSystem(scene.database, (sql) =>
      sql.rows(
        `insert into oauth_clients (id, source, name, metadata, scopes, created_at)
         values ('dcr_first', 'registered', 'Agent', $1, '{}', now() - interval '2 days')`,
        [{ client_name: 'Agent', redirect_uris: [REDIRECT], token_endpoint_auth_method: 'none' }],
      ),
    );
    const flow = aFlow(scene, { id: 'dcr_first', secret: null });

    const { code, tended } = await transact(person.ctx, async (tx) => {
      // Whom the connection is for: it is about to be written, but cannot be yet.
      await tx.sql.rows('select from members where id = $1 for update', [person.memberId]);
      const code = codeOf(scene, flow, person);
      await untilWaiting(scene.database.system);
      let done = false;
      const tended = cleanUpAuthorization(scene).finally(() => {
        done = true;
      });
      await eventually(async () => done || (await statementsWaiting(scene.database.system)) > 1);
      return { code, tended };
    });

    await tended;
    const { body: tokens } = await exchange(scene, flow, await code);
    expect((await callApi(scene.baseUrl, tokens.access_token)).status).toBe(200);
  });
});
