import { describe, expect, it } from '@jest/globals';
import type { Context } from '../../src/context.ts';
import { inWorkspace } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { rotateAppSecret } from '../../src/oauth/apps/service.ts';
import { listConnections } from '../../src/oauth/connections/service.ts';
import { opened } from '../support/opened.ts';
import { aFlow, tokensOf } from './support/client.ts';
import { anApp, aPerson } from './support/people.ts';
import { openOAuthScene } from './support/scene.ts';

const scene = opened(openOAuthScene);

describe('the log', () => {
  it('tells who made, changed, rotated, connected and deleted an app, and names the app beside the person in what it does', async () => {
    const { ctx, memberId, approval } = await aPerson(scene);
    const app = await anApp(ctx);
    await rotateAppSecret(ctx, app.id, { signedInAt: ctx.now });
    const flow = aFlow(scene, app);
    const { access_token } = await tokensOf(scene, flow, { ctx, memberId, approval });
    const created = await fetch(`${scene.api}/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ana', phone: '+5511987650001' }),
    });
    expect(created.status).toBe(201);
    const connections = await transact(ctx, listConnections);
    expect(connections).toMatchObject([
      { app: { id: app.id, registered: false }, member: { id: memberId } },
    ]);
    await deleteApp(scene.database, ctx, app.id);

    const entries = await transact(ctx, ({ sql, organizationId }) =>
      sql.rows<{ action: string; actor: Record<string, unknown> }>(
        'select action, actor from audit_entries where organization_id = $1 order by seq',
        [organizationId],
      ),
    );
    const actions = entries.map(({ action }) => action);
    for (const action of ['app.created', 'app.secret_rotated', 'app.connected', 'app.deleted'])
      expect(actions).toContain(action);
    const made = entries.find(({ action }) => action === 'contact.created');
    expect(made?.actor).toMatchObject({ type: 'app', id: app.id, name: 'Planilhas' });
    expect(JSON.stringify(made?.actor)).toContain(memberId);
    expect(await transact(ctx, listConnections)).toEqual([]);
  });

  it('of each workspace that had connected a deleted app says so, and not who deleted it', async () => {
    const person = await aPerson(scene);
    const app = await anApp(person.ctx);
    const stranger = await aPerson(scene);
    const colleague = await aPerson(scene, { ctx: stranger.ctx, role: 'agent' });
    for (const who of [stranger, colleague, person]) await tokensOf(scene, aFlow(scene, app), who);
    const request = { id: 'req_of_the_owner', ip: '203.0.113.7', userAgent: 'A browser' };

    await deleteApp(scene.database, { ...person.ctx, request }, app.id);

    const about = ({ organizationId }: Context) =>
      inWorkspace(scene.database, organizationId, (sql) =>
        sql.rows(
          `select action, actor ->> 'name' as by, changes -> 0 ->> 'from' as member, ip, request_id from audit_entries
           where target ->> 'id' = $1 and action in ('app.deleted', 'app.disconnected') order by seq`,
          [app.id],
        ),
      );
    const gone = { action: 'app.disconnected', by: 'deleted app', ip: null, request_id: null };
    expect(await about(stranger.ctx)).toEqual(
      [stranger.memberId, colleague.memberId].toSorted().map((member) => ({ ...gone, member })),
    );
    expect(await about(person.ctx)).toMatchObject([
      { action: 'app.deleted', ip: request.ip, request_id: request.id },
    ]);
  });
});
