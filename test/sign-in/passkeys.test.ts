import { beforeEach, describe, expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene, type TestBrowser } from './support/scene.ts';

const MAX_PASSKEYS = 20;

const scene = opened(aSignInScene);
beforeEach(() => scene.freshCounters());

async function signedIn(): Promise<{ browser: TestBrowser; userId: string }> {
  const { email, userId } = await aPerson(scene.ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  return { browser, userId };
}

/** Storing one, for which the browser had asked before. */
const store = async (browser: TestBrowser): Promise<number> => {
  const fields = { name: 'Mine', credential: '{"id":"x"}' };
  return (await browser.send('/account', '/account/passkeys', fields)).status;
};

describe('a passkey', () => {
  it('is not stored when the sign-in grew older than 10 minutes since it was begun', async () => {
    const { browser, userId } = await signedIn();
    const before = await store(browser);
    await scene.database.system.query(
      "update person_sessions set signed_in_at = signed_in_at - interval '11 minutes' where user_id = $1",
      [userId],
    );

    expect([before, await store(browser)]).toEqual([303, 403]);
  });

  it('is not stored beside twenty others, however many were begun before', async () => {
    const { browser, userId } = await signedIn();
    const before = await store(browser);
    await scene.database.system.query(
      `insert into passkeys (id, user_id, name, public_key, counter, transports, created_at)
       select $1 || n, $1, 'One', '', 0, '{}', now() from generate_series(1, $2::int) n`,
      [userId, MAX_PASSKEYS],
    );

    expect([before, await store(browser)]).toEqual([303, 409]);
  });
});
