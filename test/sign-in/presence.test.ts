import { expect, it } from '@jest/globals';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { presenceOf, setPresence } from '../../src/members/presence.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);

it('signing out ends that the person is online', async () => {
  const { ctx } = scene;
  const { email, memberId } = await aPerson(ctx);
  const other = await aPerson(ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  for (const id of [memberId, other.memberId]) await setPresence(ctx, id, { online: true });

  await browser.send('/sign-out', '/sign-out', {});

  const online = await rowsOf(ctx, 'select id from members where online_until > now()');
  expect(online).toEqual([{ id: other.memberId }]);
});

it('a changed password is no new sign-in: who was away since the last one still is', async () => {
  const { ctx, database } = scene;
  const { email, memberId, userId } = await aPerson(ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  await setPresence({ ...ctx, now: new Date() }, memberId, { online: false });
  const isAway = async (): Promise<boolean> => {
    const [session] = await asSystem(database, (sql) =>
      sql.rows<{ at: Date }>('select signed_in_at as at from person_sessions where user_id = $1', [
        userId,
      ]),
    );
    const signedInAt = session?.at ?? new Date(0);
    const presence = await inWorkspace(database, ctx.organizationId, (sql) =>
      presenceOf({ ...ctx, sql }, { id: memberId, signedInAt }),
    );
    return presence.isAway;
  };
  expect(await isAway()).toBe(true);

  const wish = { current: PASSWORD, password: 'a new password' };
  expect((await browser.send('/account', '/account/password', wish)).status).toBe(303);
  expect(await isAway()).toBe(true);
});
