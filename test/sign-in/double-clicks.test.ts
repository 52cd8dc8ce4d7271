import { expect, it } from '@jest/globals';
import { asSystem } from '../../src/db/database.ts';
import { untilWaiting } from '../support/database.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene, csrfIn } from './support/scene.ts';

const scene = opened(aSignInScene);

const NEW = 'a new password';

it('says of a password changed by a double click that it is, and leaves the browser signed in', async () => {
  const { email, userId } = await aPerson(scene.ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  const fields = {
    _csrf: csrfIn((await browser.get('/account')).html),
    current: PASSWORD,
    password: NEW,
  };
  const click = () => browser.post('/account/password', fields);

  const both = await asSystem(scene.database, async (sql) => {
    await sql.rows('select from people where id = $1 for update', [userId]);
    const clicks = Promise.all([click(), click()]);
    await untilWaiting(scene.database.app, 2);
    return { clicks };
  });
  const answers = (await both.clicks).map(({ location }) => location);

  expect(answers).toEqual(['/account?done=password', '/account?done=password']);
  expect((await browser.get('/account')).status).toBe(200);
  expect(scene.mails.map(({ to }) => to)).toEqual([email]);
});

it('asks for the new password where the first click had ended the session of the second', async () => {
  const { email } = await aPerson(scene.ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  const { cookie } = browser;
  const fields = { current: PASSWORD, password: NEW };
  await browser.send('/account', '/account/password', fields);
  browser.cookie = cookie;

  const { location } = await browser.post('/account/password', fields);

  expect((await browser.get(location)).html).toContain('sign in with the new one');
});

it('changes nothing for who gives the password they have as the new one and a wrong current one', async () => {
  const { email, userId } = await aPerson(scene.ctx);
  const browser = scene.browser();
  const other = scene.browser();
  await browser.signIn(email, PASSWORD);
  await other.signIn(email, PASSWORD);
  const sessions = () =>
    asSystem(scene.database, (sql) =>
      sql.rows('select * from person_sessions where user_id = $1 order by id', [userId]),
    );
  const before = await sessions();
  const guess = { current: 'wrong horse', password: PASSWORD };

  const statuses = [];
  for (let n = 0; n < 6; n += 1)
    statuses.push((await browser.send('/account', '/account/password', guess)).status);

  expect(statuses).toEqual([422, 422, 422, 422, 422, 429]);
  expect(before).toHaveLength(2);
  expect(await sessions()).toEqual(before);
});

it('leads from a link that is used up to the sign-in', async () => {
  const gone = await scene.browser().get('/invitations/inv_gone');
  expect([gone.status, gone.html.includes('<a href="/sign-in">')]).toEqual([404, true]);
});
