import { expect, it } from '@jest/globals';
import { asSystem, inWorkspace } from '../../src/db/database.ts';
import { presenceOf, setPresence } from '../../src/members/presence.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD, type TestPerson } from '../support/people.ts';
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

/** Whether the person is away, for the one session that they have. */
async function isAway({ memberId, userId }: TestPerson): Promise<boolean> {
  const { ctx, database } = scene;
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
}

const NEW_PASSWORD = { current: PASSWORD, password: 'a new password' };

it('a changed password is no new sign-in: who was away since the last one still is', async () => {
  const { ctx } = scene;
  const person = await aPerson(ctx);
  const browser = scene.browser();
  await browser.signIn(person.email, PASSWORD);
  await setPresence({ ...ctx, now: new Date() }, person.memberId, { online: false });
  expect(await isAway(person)).toBe(true);

  expect((await browser.send('/account', '/account/password', NEW_PASSWORD)).status).toBe(303);
  expect(await isAway(person)).toBe(true);
});

it('who was away before they signed in anew is so no more, also with a changed password', async () => {
  const { ctx } = scene;
  const person = await aPerson(ctx);
  await setPresence({ ...ctx, now: new Date(0) }, person.memberId, { online: false });
  const browser = scene.browser();
  await browser.signIn(person.email, PASSWORD);
  expect(await isAway(person)).toBe(false);

  expect((await browser.send('/account', '/account/password', NEW_PASSWORD)).status).toBe(303);
  expect(await isAway(person)).toBe(false);
});
