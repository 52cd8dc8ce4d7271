import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { lockConnections } from '../../src/oauth/connections/locking.ts';
import { disconnect, listConnections } from '../../src/oauth/connections/service.ts';
import { untilWaiting } from '../support/database.ts';
import { aFlow, post, refresh, tokensOf } from './support/client.ts';
import { anApp, aPerson } from './support/people.ts';
import { openScene, type Scene } from './support/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

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
});
