import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { comingInMounts } from '../../src/sign-in/mounts.ts';
import { serveApi } from '../support/http.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD } from '../support/people.ts';
import { aSignInScene, openTestBrowser, type TestBrowser } from './support/scene.ts';

const scene = opened(aSignInScene);
beforeEach(() => scene.freshCounters());

const FOREIGN: [string, Record<string, string>][] = [
  ['a foreign origin', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  ['another site', { origin: 'http://api.test', 'sec-fetch-site': 'cross-site' }],
  ['a neighbour of the same domain', { 'sec-fetch-site': 'same-site' }],
  ['a page without an origin', { origin: 'null', 'sec-fetch-site': 'none' }],
];

describe('a form of another site', () => {
  it.each(FOREIGN)('signs nobody in: %s', async (_, headers) => {
    const { email } = await aPerson(scene.ctx);
    const browser = scene.browser();

    const answer = await browser.post('/sign-in', { email, password: PASSWORD }, headers);

    expect([answer.status, browser.cookie]).toEqual([403, '']);
    expect(answer.html).toContain('This did not come from our page');
  });

  it.each(FOREIGN)('changes nothing for a person who is signed in: %s', async (_, headers) => {
    const [browser, csrf] = await signedIn();

    const answer = await browser.post('/account/sessions', { _csrf: csrf }, headers);

    expect(answer.status).toBe(403);
  });

  it('is refused without the token of the session, and with that of another', async () => {
    const [browser] = await signedIn();
    const [, other] = await signedIn();
    const status = async (fields: Record<string, string>): Promise<number> =>
      (await browser.post('/account/sessions', fields)).status;

    expect([await status({}), await status({ _csrf: other }), await status({ _csrf: '' })]).toEqual(
      [403, 403, 403],
    );
  });
});

describe('a form with what no person types', () => {
  const KEY = JSON.stringify({ id: 'known', rawId: 'known', type: 'public-key', response: {} });
  let browser: TestBrowser;
  beforeAll(async () => {
    [browser] = await signedIn();
    await scene.database.system.query(
      `insert into passkeys (id, user_id, name, public_key, counter, transports, created_at)
       select 'known', id, 'x', '\\x00', 0, '{}', now() from people limit 1`,
    );
  });

  it.each([
    '\0',
    'x'.repeat(200_000),
    '%',
    '\u202Ebia',
    '[]',
    '{"id":"\\u0000"}',
    '{"id":"known"}',
    KEY,
  ])('is refused without a fault: %#', async (value) => {
    const stranger = scene.browser();
    const answers = [
      await stranger.post('/sign-in', { email: value, password: value, next: value }),
      await stranger.post('/reset-password', { email: value }),
      await stranger.post('/sign-in/passkey', { credential: value, next: value }),
      await stranger.post(`/reset-password/${'a'.repeat(43)}`, { password: value }),
      await browser.send('/account', '/account/sessions', { session: value }),
      await browser.send('/account', '/account/passkeys', { name: value, credential: value }),
      await browser.send('/account', '/account/passkeys/remove', { passkey: value }),
      await browser.send('/account', '/account/name', { own_name: value }),
      await browser.send('/account', '/account/password', { current: value, password: value }),
    ];

    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    expect(stranger.cookie).toBe('');
    expect((await browser.get('/account')).status).toBe(200);
  });
});

describe('the pages', () => {
  it('are shown inside no other page, load nothing from elsewhere, and are kept by nobody', async () => {
    const [browser] = await signedIn();
    for (const path of ['/account', '/sign-out', '/sign-in?again=1']) {
      const { headers } = await browser.get(path);

      const csp = headers.get('content-security-policy') ?? '';
      expect(csp).toContain("default-src 'none'");
      expect(csp).toContain("frame-ancestors 'none'");
      expect(csp).toContain("form-action 'self'");
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });

  it('speak the language that the browser asks for', async () => {
    const browser = scene.browser();

    const { html } = await browser.get('/sign-in', { 'accept-language': 'pt-BR,pt;q=0.9' });

    expect(html).toContain('<html lang="pt-BR">');
    expect(html).toContain('Esqueceu a senha?');
  });
});

async function signedIn(): Promise<[TestBrowser, string]> {
  const { email } = await aPerson(scene.ctx);
  const browser = scene.browser();
  await browser.signIn(email, PASSWORD);
  const { html } = await browser.get('/account');
  return [browser, /name="_csrf" value="([^"]+)"/.exec(html)?.[1] ?? ''];
}

describe('behind TLS', () => {
  it('has a cookie that goes over TLS alone and that no neighbour of the domain can plant', async () => {
    const parts = { ...scene.parts, baseUrl: 'https://api.test' };
    const api = await serveApi(scene.database, {
      routes: [],
      baseUrl: parts.baseUrl,
      mounts: comingInMounts(parts),
    });
    const { email } = await aPerson(scene.ctx);
    const browser = openTestBrowser(api.url, parts.baseUrl);

    const { headers } = await browser.signIn(email, PASSWORD);
    const cookie = browser.cookie;
    const inside = await browser.get('/account');
    browser.cookie = cookie.replace('__Host-', '');
    const planted = await browser.get('/account');
    await api.close();

    expect(headers.get('set-cookie')).toMatch(
      /^__Host-wms_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect([inside.status, planted.status]).toEqual([200, 303]);
  });
});
