import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createApp } from '../../src/oauth/apps/service.ts';
import { CookieBrowser, hiddenIn } from '../support/cookie-browser.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aRealScene, authorizeUrl, type RealScene } from './support/real.ts';

let scene: RealScene;
let appId: string;
const REDIRECT = 'https://planilhas.example/volta';
beforeAll(async () => {
  scene = await aRealScene();
  const app = { name: 'Planilhas', redirectUris: [REDIRECT], scopes: ['contacts:read'] };
  appId = (await createApp(scene.ctx, app)).id;
});
afterAll(() => scene.close());

/** A person at the consent page, and the form that connects the app. */
async function aboutToConnect() {
  const { email } = await aPerson(scene.ctx);
  const browser = new CookieBrowser();
  await browser.go(`${scene.baseUrl}/sign-in`, { email, password: PASSWORD, next: '' });
  const asked = await browser.go(authorizeUrl(scene, appId, { redirect_uri: REDIRECT }));
  const page = new URL(asked.location, scene.baseUrl).href;
  const { html } = await browser.go(page);
  const form = { ...hiddenIn(html), answer: 'allow', workspace: scene.ctx.organizationId };
  return { browser, page, form };
}

const written = (): Promise<unknown[]> =>
  rowsOf(
    scene.ctx,
    `select (select count(*)::int from oauth_grants) as grants,
         (select count(*)::int from audit_entries where action = 'app.connected') as entries`,
  );

it('however often the form is sent, all lead on to one grant and one entry, and the first answer counts', async () => {
  const { browser, page, form } = await aboutToConnect();

  const answers = await Promise.all([1, 2, 3].map(() => browser.go(page, form)));
  answers.push(await browser.go(page, { ...form, answer: 'decline' }), await browser.go(page));
  const [target = '', ...others] = new Set(answers.map(({ location }) => location));
  const resumed = await browser.go(target);

  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect([target, others]).toEqual([expect.stringContaining('/oauth2/authorize/'), []]);
  expect(new URL(resumed.location).searchParams.has('code')).toBe(true);
  expect(await written()).toEqual([{ grants: 1, entries: 1 }]);
});

it('a form that is sent once more after the browser went on is told that the request is over', async () => {
  const { browser, page, form } = await aboutToConnect();
  await browser.go((await browser.go(page, form)).location);

  const { status, html } = await browser.go(page, form);

  expect(status).toBe(404);
  expect(html).toContain('It was answered already');
  expect(html).toContain('Go back to the app.');
});
