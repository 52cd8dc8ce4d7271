import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Permission } from '../../src/access/permissions.ts';
import { removeAutomation } from '../../src/automations/removing.ts';
import type { Context } from '../../src/context.ts';
import type { Database } from '../../src/db/database.ts';
import { transact } from '../../src/db/transact.ts';
import { removeForm } from '../../src/forms/removing.ts';
import { newId } from '../../src/ids.ts';
import { reactivateMember, suspendMember, updateMember } from '../../src/members/changing.ts';
import { setPresence } from '../../src/members/presence.ts';
import { removeMember, removeTeam } from '../../src/members/removing.ts';
import { addMember } from '../../src/members/service.ts';
import { addTeam, updateTeam } from '../../src/members/teams.ts';
import { deleteApp } from '../../src/oauth/apps/deleting.ts';
import { requestReview } from '../../src/oauth/apps/reviews.ts';
import {
  changeApp,
  createApp,
  getApp,
  listApps,
  rotateAppSecret,
} from '../../src/oauth/apps/service.ts';
import { disconnect, listConnections } from '../../src/oauth/connections/service.ts';
import { addStage, createPipeline, renamePipeline } from '../../src/pipelines/managing.ts';
import { removePipeline } from '../../src/pipelines/removing.ts';
import { changeSegment } from '../../src/segments/changing.ts';
import { openOwnDatabase } from '../support/database.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aMember, memberActor } from '../support/members.ts';
import { rowsOf } from '../support/rows-of.ts';

let database: Database;
let ctx: Context;
let memberId: string;
let connectionId: string;

const APP = { name: 'Planilhas', redirectUris: ['https://a.example/x'], scopes: ['contacts:read'] };

beforeAll(async () => {
  database = await openOwnDatabase();
  ({ ctx } = await aWorkspace(database));
  memberId = (await aMember(ctx)).id;
  connectionId = newId('cnx');
  const { id: appId } = await createApp(ctx, APP);
  await rowsOf(
    ctx,
    `insert into oauth_connections (organization_id, id, client_id, member_id, created_at) values ($1, $2, $3, $4, now())`,
    [ctx.organizationId, connectionId, appId, memberId],
  );
});
afterAll(() => database.close());

type Act = (as: Context) => unknown;
const rules = { field: 'opted_out', op: 'is', value: false };
const open = { name: 'Novo', kind: 'open' } as const;
const person = { email: 'ana@example.com', name: 'Ana', role: 'viewer' } as const;

// No route of the API offers these, whose door would ask.
it.each<[string, Permission, Act]>([
  ['adding a member', 'members.manage', (as) => addMember(as, person)],
  ['changing a member', 'members.manage', (as) => updateMember(as, memberId, { name: 'Bia' })],
  ['suspending a member', 'members.manage', (as) => suspendMember(as, memberId)],
  ['reactivating a member', 'members.manage', (as) => reactivateMember(as, memberId)],
  ['removing a member', 'members.manage', (as) => removeMember(as, memberId)],
  [
    'marking somebody else as away',
    'members.manage',
    (as) => setPresence(as, memberId, { online: false }),
  ],
  ['adding a team', 'members.manage', (as) => addTeam(as, 'Vendas')],
  ['changing a team', 'members.manage', (as) => updateTeam(as, newId('team'), {})],
  ['removing a team', 'members.manage', (as) => removeTeam(as, newId('team'))],
  ['registering an app', 'developers.manage', (as) => createApp(as, APP)],
  ['listing the apps', 'developers.read', (as) => transact(as, listApps)],
  ['reading an app', 'developers.read', (as) => transact(as, (tx) => getApp(tx, newId('app')))],
  ['changing an app', 'developers.manage', (as) => changeApp(as, newId('app'), APP)],
  [
    'rotating the secret of an app',
    'developers.manage',
    (as) => rotateAppSecret(as, newId('app'), { signedInAt: as.now }),
  ],
  ['deleting an app', 'developers.manage', (as) => deleteApp(database, as, newId('app'))],
  ['asking for a review', 'developers.manage', (as) => requestReview(as, newId('app'), 'Reads.')],
  ['listing what is connected', 'developers.read', (as) => transact(as, listConnections)],
  ["disconnecting somebody else's app", 'developers.manage', (as) => disconnect(as, connectionId)],
  [
    'creating a pipeline',
    'pipelines.manage',
    (as) => createPipeline(as, { name: 'Obras', stages: [open] }),
  ],
  ['renaming a pipeline', 'pipelines.manage', (as) => renamePipeline(as, newId('pip'), 'Obras')],
  ['adding a stage', 'pipelines.manage', (as) => addStage(as, newId('pip'), open)],
  ['removing a pipeline', 'pipelines.manage', (as) => removePipeline(as, newId('pip'))],
  [
    'changing a segment',
    'contacts.write',
    (as) => changeSegment(as, newId('seg'), { name: 'Todos', rules }),
  ],
  ['removing a form', 'forms.write', (as) => removeForm(as, newId('frm'))],
  ['removing an automation', 'automations.activate', (as) => removeAutomation(as, newId('atm'))],
])('%s asks for the permission %s', async (_, permission, act) => {
  const nobody = { ...ctx, em: ctx.em.fork(), actor: memberActor({ console: true }) };

  // Some refuse before they promise anything.
  const done = async (): Promise<unknown> => act(nobody);
  await expect(done()).rejects.toMatchObject({ code: 'forbidden', details: { permission } });
});
