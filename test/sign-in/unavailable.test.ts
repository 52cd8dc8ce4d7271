import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { losingAnswers } from '../support/losing-answers.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene, csrfIn, type SignInScene } from './support/scene.ts';

let scene: SignInScene;
let system: SignInScene['database']['system'];
beforeAll(async () => {
  scene = await aSignInScene();
  ({ system } = scene.database);
});
afterEach(() => {
  Object.assign(scene.database, { system });
});
afterAll(() => scene?.close());

const NEW = 'a new password';

it.each([
  ['en', 'it may have arrived all the same', 'Nothing was changed'],
  ['pt-BR', 'pode ter chegado mesmo assim', 'Nada foi alterado'],
])(
  'does not say in %s that nothing was changed where that is not known',
  async (language, said, not) => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();
    await browser.signIn(email, PASSWORD);
    const fields = {
      _csrf: csrfIn((await browser.get('/account')).html),
      current: PASSWORD,
      password: NEW,
    };
    Object.assign(scene.database, { system: losingAnswers(system, 'places-of-person', 1) });

    const answer = await browser.post('/account/password', fields, { 'accept-language': language });

    const again = await scene.browser().signIn(email, NEW);
    expect([answer.status, again.location]).toEqual([503, '/console']);
    expect(answer.html).toContain(said);
    expect(answer.html).not.toContain(not);
  },
);
