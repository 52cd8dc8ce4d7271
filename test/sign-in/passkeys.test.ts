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
const store = async (browser: TestBrowser, credential = '{"id":"x"}'): Promise<number> => {
  const fields = { name: 'Mine', credential };
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

  it('answers only what its person was asked: not another, nor whoever signs in', async () => {
    const ana = await signedIn();
    const bia = await signedIn();
    const asked = async (browser: TestBrowser, path: string): Promise<string> =>
      JSON.parse((await browser.send('/account', path, {})).html).challenge;
    const challenges = [
      await asked(bia.browser, '/account/passkeys/options'),
      await asked(bia.browser, '/sign-in/passkey/options'),
      await asked(ana.browser, '/account/passkeys/options'),
    ];

    for (const challenge of challenges) await store(ana.browser, answerTo(challenge));

    // A challenge that is answered is gone.
    const { rows } = await scene.database.system.query<{ challenge: string }>(
      'select challenge from passkey_challenges where challenge = any($1)',
      [challenges],
    );
    expect(rows.map(({ challenge }) => challenge).toSorted()).toEqual(
      challenges.slice(0, 2).toSorted(),
    );
  });
});

/** What a browser would send; nothing vouches for it. */
function answerTo(challenge: string): string {
  const data = { type: 'webauthn.create', challenge, origin: 'http://api.test' };
  const clientDataJSON = Buffer.from(JSON.stringify(data)).toString('base64url');
  const response = { clientDataJSON, attestationObject: '', transports: [] };
  return JSON.stringify({ id: 'x', rawId: 'x', type: 'public-key', response });
}
