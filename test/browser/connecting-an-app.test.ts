import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createApp } from '../../src/oauth/apps/service.ts';
import { aFlow, authorizeUrl, callApi, exchange, refresh } from '../oauth/support/client.ts';
import { openWhole, type Whole } from '../oauth/support/whole.ts';
import { accessibilityFindings, complaintsOf, openBrowser } from '../support/browser.ts';
import { aPerson, PASSWORD } from '../support/people.ts';

let whole: Whole;
let browser: Browser;
beforeAll(async () => {
  [whole, browser] = await Promise.all([openWhole(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await whole?.close();
});

const SHOTS = process.env['SCREENSHOTS'];
const complaints: string[][] = [];

async function aPage(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-US', ...options });
  const page = await context.newPage();
  complaints.push(complaintsOf(page));
  return page;
}

/** Looked at as a person would, and by axe. */
async function look(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/app-${name}.png`, fullPage: true });
  expect([name, await accessibilityFindings(page)]).toEqual([name, []]);
}

async function signIn(
  page: Page,
  email: string,
  [address, password] = ['E-mail address', 'Password'],
): Promise<void> {
  await page.getByLabel(address, { exact: true }).fill(email);
  await page.getByLabel(password, { exact: true }).fill(PASSWORD);
  await page.getByLabel(password, { exact: true }).press('Enter');
}

/** In the developer settings, by hand; what is shown once. */
async function register(page: Page, home: string): Promise<{ id: string; secret: string }> {
  await page.goto(`${home}/apps/new`);
  await page.getByLabel('Name', { exact: true }).fill('Planner');
  await page.getByLabel('Redirect URIs').fill(whole.callback);
  await page.locator('input[name="scopes"][value="contacts:read"]').press('Space');
  await page.locator('main button', { hasText: 'Create an app' }).press('Enter');
  await page.waitForURL(/\/apps\/app_/);
  const shown = await page.content();
  await look(page, 'registered');
  const [secret = ''] = /cs_live_[\w-]{43}/.exec(shown) ?? [];
  const [id = ''] = /app_[0-9A-Z]{26}/.exec(page.url()) ?? [];
  await page.reload();
  expect(await page.content()).not.toContain(secret);
  return { id, secret };
}

it('an app is registered, connected by a person, used, and disconnected, all in a browser and by keyboard', async () => {
  const { organizationId } = whole.ctx;
  const home = `${whole.baseUrl}/console/${organizationId}`;
  const { email } = await aPerson(whole.ctx);
  const settings = await aPage();
  await settings.goto(`${home}/apps`);
  await signIn(settings, email);
  await settings.waitForURL(`${home}/apps`);
  const app = await register(settings, home);

  const flow = aFlow(whole, app, {
    redirect_uri: whole.callback,
    scope: 'contacts:read offline_access',
  });
  const page = await aPage();
  await page.goto(authorizeUrl(whole, flow));
  await look(page, 'sign-in');
  await signIn(page, email);
  await page.waitForURL(/\/oauth\/authorize\//);
  await look(page, 'consent');
  await page.locator('button[name="answer"][value="allow"]').press('Enter');
  await page.waitForURL(/\/callback\?/);
  const back = new URL(page.url()).searchParams;
  expect([back.get('state'), back.get('iss')]).toEqual([flow.params['state'], whole.issuer]);

  const tokens = await exchange(whole, flow, back.get('code') ?? '');
  expect(tokens.status).toBe(200);
  const fresh = await refresh(whole, flow, tokens.body.refresh_token);
  expect((await callApi(whole.baseUrl, fresh.body.access_token)).status).toBe(200);

  await settings.goto(`${whole.baseUrl}/account`);
  await settings.locator('summary', { hasText: 'See what it may do' }).press('Enter');
  await look(settings, 'own-apps');
  await settings.goto(`${home}/connections`);
  await look(settings, 'connections');
  await settings.locator('main summary', { hasText: 'Disconnect' }).press('Enter');
  await settings.locator('main button.danger').press('Enter');
  await settings.getByRole('status').waitFor();
  await look(settings, 'disconnected');

  expect((await callApi(whole.baseUrl, fresh.body.access_token)).status).toBe(401);
  expect((await refresh(whole, flow, fresh.body.refresh_token)).body.error).toBe('invalid_grant');
  expect(complaints.flat()).toEqual([]);
});

it('an app that registered by itself gets nothing when the person declines, also in the dark and in Portuguese', async () => {
  const { email } = await aPerson(whole.ctx);
  const registered = await fetch(`${whole.issuer}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Planilhas',
      redirect_uris: [whole.callback],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: id } = (await registered.json()) as { client_id: string };
  const scope = 'contacts:read campaigns:send';
  const flow = aFlow(whole, { id, secret: null }, { redirect_uri: whole.callback, scope });
  const page = await aPage({ locale: 'pt-BR', colorScheme: 'dark' });
  await page.goto(authorizeUrl(whole, flow));
  await signIn(page, email, ['E-mail', 'Senha']);
  await page.getByRole('heading', { name: 'Conectar Planilhas?' }).waitFor();
  await look(page, 'consent-dark');

  await page.getByRole('button', { name: 'Recusar' }).press('Enter');
  await page.waitForURL(/\/callback\?/);

  const back = new URL(page.url()).searchParams;
  expect([back.get('error'), back.get('code')]).toEqual(['access_denied', null]);
  expect(complaints.flat()).toEqual([]);
});

/** An app whose callback leads on to its pages, which are at another origin. */
async function anAppInTwoPlaces(): Promise<{ callback: string; done: string; close(): void }> {
  const pages = createServer((_, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end('<!doctype html><html lang="en"><title>Planner</title><h1>Back in the app</h1></html>');
  });
  await new Promise<void>((resolve) => pages.listen(0, 'localhost', resolve));
  const done = `http://localhost:${(pages.address() as AddressInfo).port}/done`;
  const relay = createServer((req, res) => {
    const { search } = new URL(req.url ?? '', done);
    res.writeHead(302, { location: done + search }).end();
  });
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
  return {
    callback: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/callback`,
    done,
    close: () => {
      for (const server of [pages, relay]) server.close().closeAllConnections();
    },
  };
}

it.each([
  ['Connect', true, 'code'],
  ['Decline', true, 'error'],
  ['Connect', false, 'code'],
])(
  '%s arrives where the callback leads on to, at another origin (scripts: %s)',
  async (button, javaScriptEnabled, told) => {
    const app = await anAppInTwoPlaces();
    const { email } = await aPerson(whole.ctx);
    const wishes = { name: 'Planner', redirectUris: [app.callback], scopes: ['contacts:read'] };
    const flow = aFlow(whole, await createApp(whole.ctx, wishes), {
      redirect_uri: app.callback,
      scope: 'contacts:read',
    });
    const page = await aPage({ javaScriptEnabled });
    await page.goto(authorizeUrl(whole, flow));
    await signIn(page, email);
    await page.getByRole('button', { name: button }).click();
    await page.waitForURL((url) => url.href.startsWith(app.done));
    app.close();

    const back = new URL(page.url()).searchParams;
    expect([back.get('state'), back.has(told)]).toEqual([flow.params['state'], true]);
    expect(complaints.flat()).toEqual([]);
  },
);
