import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewApp } from '../../src/oauth/apps/input.ts';
import { changeApp, createApp } from '../../src/oauth/apps/service.ts';
import { CookieBrowser, hiddenIn } from '../support/cookie-browser.ts';
import { aWorkspace } from '../support/factories/workspaces.ts';
import { aPerson, PASSWORD, type TestPerson } from '../support/people.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aRealScene, authorizeUrl, type RealScene } from './support/real.ts';

let scene: RealScene;
let appId: string;
const REDIRECT = 'https://planilhas.example/volta';
beforeAll(async () => {
  scene = await aRealScene();
  const scopes = ['contacts:read', 'contacts:write', 'campaigns:send'];
  const app = { name: 'Planilhas <b>', redirectUris: [REDIRECT, scene.callback], scopes };
  appId = (await createApp(scene.ctx, app)).id;
});
beforeEach(() => scene.freshCounters());
afterAll(() => scene.close());

const here = (location: string): string => new URL(location, scene.baseUrl).href;

/** The consent page's address, for a browser that is sent there by the app. */
async function asked(browser: CookieBrowser, params: Record<string, string> = {}): Promise<string> {
  const url = authorizeUrl(scene, appId, { redirect_uri: REDIRECT, ...params });
  const { status, location, html } = await browser.go(url);
  if (status !== 303) throw new Error(`${status} ${html}`);
  return here(location);
}

const signIn = (browser: CookieBrowser, { email }: TestPerson, next = ''): Promise<unknown> =>
  browser.go(`${scene.baseUrl}/sign-in`, { email, password: PASSWORD, next });

async function askedAs(person: TestPerson, params: Record<string, string> = {}) {
  const browser = new CookieBrowser();
  await signIn(browser, person);
  const page = await asked(browser, params);
  const { html, headers } = await browser.go(page);
  return { browser, page, html, headers, sent: hiddenIn(html) };
}

/** @param sent what the page's form holds already */
const allow = (organizationId: string, sent: Readonly<Record<string, string>>) => ({
  ...sent,
  answer: 'allow',
  workspace: organizationId,
});

describe('the consent page', () => {
  it('says who asks, for what, what it cannot do, and where the browser goes', async () => {
    const person = await aPerson(scene.ctx);

    const { html, headers } = await askedAs(person, {
      scope: 'contacts:read campaigns:send openid offline_access',
    });

    expect(html).toContain('Connect Planilhas &lt;b&gt;?');
    expect(html).toContain('made by the workspace Padaria Aurora');
    expect(html).toContain('Not verified: no one here has checked');
    expect(html).toContain('See contacts with their phone, e-mail and fields.');
    expect(html).toContain('Stay connected while you are away');
    expect(html).toMatch(/High risk:<\/strong> Send a campaign to many people at once/);
    expect(html).toContain('You can disconnect it at any time on your account page.');
    expect(html).toContain('manage members, billing or credentials');
    expect(html).toContain('connect or disconnect WhatsApp numbers');
    expect(html).toContain('goes back to planilhas.example.');
    expect(html).not.toContain('a program on this computer');
    expect(headers.get('content-security-policy')).toContain("form-action 'self';");
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('warns of a program on the same computer', async () => {
    const { html } = await askedAs(await aPerson(scene.ctx), { redirect_uri: scene.callback });

    expect(html).toContain(`goes back to ${new URL(scene.callback).host}`);
    expect(html).toContain('That is a program on this computer.');
  });

  it('sends the person to sign in first, back again, and on to the app with a code', async () => {
    const person = await aPerson(scene.ctx);
    const browser = new CookieBrowser();
    const page = await asked(browser);

    const unknown = await browser.go(page);
    const next = new URL(here(unknown.location)).searchParams.get('next') ?? '';
    await signIn(browser, person, next);
    const { html } = await browser.go(page);
    const answered = await browser.go(page, allow(scene.ctx.organizationId, hiddenIn(html)));
    const resumed = await browser.go(here(answered.location));

    expect(unknown.status).toBe(303);
    expect(next).toBe(new URL(page).pathname);
    expect([answered.status, resumed.status]).toEqual([200, 303]);
    const back = new URL(resumed.location);
    expect(back.origin + back.pathname).toBe(REDIRECT);
    expect(back.searchParams.get('state')).toBe('the-state');
    expect(back.searchParams.get('code')).toMatch(/^[\w-]{20,}$/);
  });

  it('tells the app when the person declines', async () => {
    const { browser, page, sent } = await askedAs(await aPerson(scene.ctx));

    const answered = await browser.go(page, { ...sent, answer: 'decline' });
    const resumed = await browser.go(here(answered.location));

    const back = new URL(resumed.location);
    expect([back.searchParams.get('error'), back.searchParams.get('code')]).toEqual([
      'access_denied',
      null,
    ]);
  });

  it('offers the workspaces where the person has a seat, and takes no other', async () => {
    const person = await aPerson(scene.ctx);
    const second = await aWorkspace(scene.database, { name: 'Oficina Sul' });
    const viewing = await aWorkspace(scene.database, { name: 'Banca Norte' });
    const foreign = await aWorkspace(scene.database, { name: 'Alheia' });
    await aPerson(second.ctx, { email: person.email, role: 'agent' });
    await aPerson(viewing.ctx, { email: person.email, role: 'viewer' });
    const { browser, page, html, sent } = await askedAs(person);

    expect(html).toContain('Oficina Sul');
    expect(html).not.toContain('Banca Norte');
    for (const id of ['', viewing.workspaceId, foreign.workspaceId]) {
      const refused = await browser.go(page, allow(id, sent));
      expect([refused.status, refused.html.includes('Choose a workspace.')]).toEqual([422, true]);
    }
    expect((await browser.go(page, allow(second.workspaceId, sent))).status).toBe(200);
  });

  it('lets nobody connect an app who may do so in no workspace', async () => {
    const viewer = await aPerson(scene.ctx, { role: 'viewer' });

    const { browser, page, html, sent } = await askedAs(viewer);

    expect(html).toContain('You are in no workspace in which you may connect apps.');
    expect(html).not.toContain('value="allow"');
    const forced = await browser.go(page, allow(scene.ctx.organizationId, sent));
    expect(forced.status).toBe(422);
  });
});

describe('a consent', () => {
  it('is refused without the token of the session, and from another site', async () => {
    const { browser, page, sent } = await askedAs(await aPerson(scene.ctx));
    const fields = allow(scene.ctx.organizationId, sent);
    const status = async (
      form: Record<string, string>,
      headers: Record<string, string> = {},
    ): Promise<number> => (await browser.go(page, form, headers)).status;

    expect(await status({ ...fields, _csrf: '' })).toBe(403);
    expect(await status(fields, { 'sec-fetch-site': 'cross-site' })).toBe(403);
    expect(await status(fields, { origin: 'https://evil.example' })).toBe(403);
    expect(await status(fields)).toBe(200);
  });

  it('belongs to the browser that began: a link that was passed on is dead', async () => {
    const { page } = await askedAs(await aPerson(scene.ctx));
    const other = new CookieBrowser();
    await signIn(other, await aPerson(scene.ctx));

    const opened = await other.go(page);

    expect(opened.status).toBe(404);
    expect(opened.html).toContain('This request is over');
  });

  it("belongs to the person who saw the page: another's sign-in in between makes it useless", async () => {
    const { browser, page, sent } = await askedAs(await aPerson(scene.ctx));
    const next = await aPerson(scene.ctx);
    await signIn(browser, next);

    expect((await browser.go(page, allow(scene.ctx.organizationId, sent))).status).toBe(403);
    expect((await browser.go(page)).html).toContain(next.email);
  });

  it.each([{ prompt: 'login' }, { max_age: '60', scope: 'openid contacts:read' }])(
    'asks for a new sign-in when the app wishes it: %j',
    async (params) => {
      const person = await aPerson(scene.ctx);
      const browser = new CookieBrowser();
      await signIn(browser, person);
      await scene.database.system.query(
        "update person_sessions set signed_in_at = now() - interval '5 minutes' where user_id = $1",
        [person.userId],
      );
      const page = await asked(browser, params as Record<string, string>);

      const first = await browser.go(page);
      await signIn(browser, person);
      const second = await browser.go(page);
      const answer = allow(scene.ctx.organizationId, hiddenIn(second.html));
      const answered = await browser.go(page, answer);

      expect([first.status, new URL(here(first.location)).searchParams.get('again')]).toEqual([
        303,
        '1',
      ]);
      expect([second.status, answered.status]).toEqual([200, 200]);
    },
  );

  it('is refused to a member who lost the seat while looking at it', async () => {
    const person = await aPerson(scene.ctx);
    const { browser, page, sent } = await askedAs(person);
    await rowsOf(scene.ctx, "update members set role = 'viewer' where id = $1", [person.memberId]);

    const answered = await browser.go(page, allow(scene.ctx.organizationId, sent));

    expect(answered.status).toBe(422);
  });

  it('leads nowhere when the app has given up the address since its request', async () => {
    const uris = ['https://agenda.example/volta'];
    const { browser, page, sent } = await changedMeanwhile({ redirectUris: uris });
    for (const answer of [allow(scene.ctx.organizationId, sent), { ...sent, answer: 'decline' }])
      expect(await browser.go(page, answer)).toMatchObject({ status: 404, location: '' });
  });

  it('is of what the person saw: an app that is changed meanwhile is shown once more', async () => {
    const scopes = ['contacts:read', 'campaigns:send'];
    const { browser, page, html, sent } = await changedMeanwhile({ scopes });
    const refused = await browser.go(page, allow(scene.ctx.organizationId, sent));
    const again = allow(scene.ctx.organizationId, hiddenIn(refused.html));

    expect(html).not.toContain('Send a campaign');
    expect([refused.status, (await browser.go(page, again)).status]).toEqual([409, 200]);
    expect(refused.html).toContain('The app was changed while you looked at this page.');
    expect(refused.html).toContain('Send a campaign');
  });
});

/** The page as the person saw it, of an app that is another one when they answer. */
async function changedMeanwhile(change: Partial<NewApp>) {
  const app = { name: 'Agenda', redirectUris: [REDIRECT], scopes: ['contacts:read'] };
  const { id } = await createApp(scene.ctx, app);
  const params = { client_id: id, scope: 'contacts:read campaigns:send' };
  const shown = await askedAs(await aPerson(scene.ctx), params);
  await changeApp(scene.ctx, id, { ...app, ...change });
  return shown;
}
