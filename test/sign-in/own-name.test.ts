import { expect, it } from '@jest/globals';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene } from './support/scene.ts';

const scene = opened(aSignInScene);

it('a person corrects their own name, and keeps what they wrote where it is refused', async () => {
  const { email, userId } = await aPerson(scene.ctx);
  const other = await aPerson(scene.ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);

  const saved = await browser.send('/account', '/account/name', { own_name: ' Bia Lima ' });
  const { html } = await browser.get('/account?done=name');
  const long = 'x'.repeat(121);
  const refused = await browser.send('/account', '/account/name', { own_name: long });
  const unseen = await browser.send('/account', '/account/name', { own_name: '\u200b' });

  expect([saved.location, refused.status, unseen.status]).toEqual(['/account?done=name', 422, 422]);
  expect(html).toContain('Bia Lima · ');
  expect(refused.html).toContain(`value="${long}"`);
  expect(refused.html).toContain('id="f-own-name-error"');
  expect(refused.html).not.toContain('password was not changed');
  const { rows } = await scene.database.system.query(
    'select id, name from people where id = any($1)',
    [[userId, other.userId]],
  );
  expect(new Map(rows.map(({ id, name }) => [id, name]))).toEqual(
    new Map([
      [userId, 'Bia Lima'],
      [other.userId, 'Bia Ramos'],
    ]),
  );
});
