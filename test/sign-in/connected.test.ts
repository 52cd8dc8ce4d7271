import { beforeEach, describe, expect, it } from '@jest/globals';
import { transact } from '../../src/db/transact.ts';
import { suspendMember } from '../../src/members/changing.ts';
import { createApp } from '../../src/oauth/apps/service.ts';
import { listConnections } from '../../src/oauth/connections/service.ts';
import { CookieBrowser, hiddenIn } from '../support/cookie-browser.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { opened } from '../support/opened.ts';
import { aPerson, PASSWORD, type TestPerson } from '../support/people.ts';
import { rowsOf } from '../support/rows-of.ts';
import { aRealScene, authorizeUrl } from './support/real.ts';
import { csrfIn } from './support/scene.ts';

const scene = opened(aRealScene);
const REDIRECT = 'https://planilhas.example/volta';
beforeEach(() => scene.freshCounters());

const here = (location: string): string => new URL(location, scene.baseUrl).href;

async function signedIn({ email }: TestPerson): Promise<CookieBrowser> {
  const browser = new CookieBrowser();
  await browser.go(`${scene.baseUrl}/sign-in`, { email, password: PASSWORD, next: '' });
  return browser;
}

const anApp = (name: string, scopes: string[]): Promise<{ readonly id: string }> =>
  createApp(scene.ctx, { name, redirectUris: [REDIRECT], scopes });

/**
 * The person lets an app in, for some of the scopes.
 *
 * @param path of the resource
 * @returns what the consent page said, in English and in Portuguese
 */
async function connect(
  browser: CookieBrowser,
  { id }: { readonly id: string },
  scopes: string[],
  path = '/api/v1',
): Promise<readonly [string, string]> {
  const resource = scene.baseUrl + path;
  const asked = { redirect_uri: REDIRECT, scope: scopes.join(' '), resource };
  const page = here((await browser.go(authorizeUrl(scene, id, asked))).location);
  const { html } = await browser.go(page);
  const portuguese = await browser.fetch(page, { headers: { 'accept-language': 'pt-BR' } });
  const answer = { answer: 'allow', workspace: scene.ctx.organizationId };
  const { status } = await browser.go(page, { ...hiddenIn(html), ...answer });
  expect(status).toBe(200);
  return [html, await portuguese.text()];
}

async function letIn(browser: CookieBrowser, name: string): Promise<void> {
  const scopes = ['contacts:read', 'contacts:write'];
  await connect(browser, await anApp(name, scopes), scopes);
}

const account = (browser: CookieBrowser) => browser.go(`${scene.baseUrl}/account`);

const disconnect = (browser: CookieBrowser, connection: string, csrf: string) =>
  browser.go(`${scene.baseUrl}/account/apps`, { _csrf: csrf, connection });

const connectionIn = (html: string): string =>
  /name="connection" value="(cnx_\w+)"/.exec(html)?.[1] ?? '';

const connected = async (): Promise<string[]> =>
  (await transact(scene.ctx, listConnections)).map(({ app }) => app.name);

describe('the apps that act for a person', () => {
  it('stand on the own page of an Agent too, with what they may do, and end there', async () => {
    const browser = await signedIn(await aPerson(scene.ctx, { role: 'agent' }));
    await letIn(browser, 'Planner <b>');
    const shown = (await account(browser)).html;

    const ended = await disconnect(browser, connectionIn(shown), csrfIn(shown));

    expect(shown).toContain('Planner &lt;b&gt;');
    expect(shown).toContain('Padaria Aurora');
    expect(shown).toContain(
      'Automations that it activated, and campaigns and reminders that it scheduled, go on.',
    );
    expect(shown).toContain('See contacts with their phone, e-mail and fields.');
    expect([ended.status, ended.location]).toEqual([303, '/account?done=disconnected']);
    expect((await account(browser)).html).toContain('No app acts for you.');
    expect(await connected()).not.toContain('Planner <b>');
  });

  it('say before they are disconnected which endpoints are paused with that', async () => {
    const browser = await signedIn(await aPerson(scene.ctx));
    await letIn(browser, 'Funnel');
    const connection = connectionIn((await account(browser)).html);
    const endpoint = await anEndpoint(scene.ctx, 'https://funnel.example/in');
    await rowsOf(
      scene.ctx,
      `update webhook_endpoints e set app_id = k.client_id, member_id = k.member_id, name = 'Vendas <b>'
         from oauth_connections k join members m on m.id = k.member_id where e.id = $1 and k.id = $2`,
      [endpoint.id, connection],
    );

    const { html } = await account(browser);

    expect(html).toContain('created through it and are paused: Vendas &lt;b&gt;.');
  });

  it('turn on what they draft, which an agent leaves to people', async () => {
    const browser = await signedIn(await aPerson(scene.ctx));
    const scopes = ['automations:write', 'forms:write'];
    const app = await anApp('Drafts', scopes);

    const agent = await connect(browser, app, scopes, '/api/mcp');
    const own = (await account(browser)).html;
    const inApi = await connect(browser, app, scopes);
    const both = (await account(browser)).html;

    const drafts =
      /Draft automations, which only people turn on\..*Draft forms, which only people publish\./s;
    expect([agent[0], own].map((html) => drafts.test(html))).toEqual([true, true]);
    expect(agent[1]).toContain('Criar rascunhos de automações, que só pessoas ligam.');
    expect(agent[1]).toContain('Criar rascunhos de formulários, que só pessoas publicam.');
    for (const html of [inApi[0], both])
      expect(html).toMatch(/Draft automations, turn them on and off.*Draft forms, publish/s);
  });

  it('are disconnected by nobody else, and by no form of another page', async () => {
    const browser = await signedIn(await aPerson(scene.ctx));
    await letIn(browser, 'Sheets');
    const own = connectionIn((await account(browser)).html);
    const stranger = await signedIn(await aPerson(scene.ctx, { role: 'agent' }));
    const theirs = (await account(stranger)).html;

    const foreign = await disconnect(stranger, own, csrfIn(theirs));
    const forged = await disconnect(browser, own, csrfIn(theirs));

    expect(theirs).not.toContain('Sheets');
    expect([foreign.status, forged.status]).toEqual([404, 403]);
    expect(await connected()).toContain('Sheets');
  });

  it('are shown no more to whoever may not enter the workspace, nor disconnected by them', async () => {
    const person = await aPerson(scene.ctx);
    const browser = await signedIn(person);
    await letIn(browser, 'Ledger');
    const shown = (await account(browser)).html;

    await suspendMember(scene.ctx, person.memberId);
    const after = (await account(browser)).html;
    const ended = await disconnect(browser, connectionIn(shown), csrfIn(shown));

    expect([shown.includes('Ledger'), after.includes('Ledger')]).toEqual([true, false]);
    expect(ended.status).toBe(404);
    expect(await connected()).toContain('Ledger');
  });
});
