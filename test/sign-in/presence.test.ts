import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { inWorkspace } from '../../src/db/database.ts';
import { setPresence } from '../../src/members/presence.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene, type SignInScene } from './support/scene.ts';

let scene: SignInScene;
beforeAll(async () => {
  scene = await aSignInScene();
});
afterAll(() => scene.close());

it('signing out ends that the person is online', async () => {
  const { ctx, database } = scene;
  const { email, memberId } = await aPerson(ctx);
  const other = await aPerson(ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  for (const id of [memberId, other.memberId]) await setPresence(ctx, id, { online: true });

  await browser.send('/sign-out', '/sign-out', {});

  const online = await inWorkspace(database, ctx.organizationId, (sql) =>
    sql.rows('select id from members where online_until > now()'),
  );
  expect(online).toEqual([{ id: other.memberId }]);
});
