import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { inWorkspace } from '../../src/db/database.ts';
import { createApp } from '../../src/oauth/apps.ts';
import { sendTestEvent } from '../../src/webhooks/testing.ts';
import { addressOf, openConsole, openConsoleBrowser, shoot } from '../console/support/browsing.ts';
import { aConsoleScene, type ConsoleScene } from '../console/support/scene.ts';
import { accessibilityFindings, complaintsOf } from '../support/browser.ts';
import { anApiKey } from '../support/factories/api-keys.ts';
import { anEndpoint } from '../support/factories/webhooks.ts';
import { aMember } from '../support/members.ts';

const ORIGIN = 'http://127.0.0.1:9';
let scene: ConsoleScene;
let browser: Browser;
let endpointId: string;
let paths: Readonly<Record<string, string>>;

beforeAll(async () => {
  scene = await aConsoleScene([ORIGIN]);
  browser = await openConsoleBrowser(scene);
  const { ctx } = scene;
  await anApiKey(ctx);
  const { id } = await anEndpoint(ctx, `${ORIGIN}/hooks`, ['message.sent']);
  endpointId = id;
  const deliveries = [];
  for (let n = 0; n < 5; n += 1) deliveries.push(await sendTestEvent(ctx, id, {}));
  const member = await aMember(ctx, { role: 'agent', teams: ['Vendas', 'Entrega'] });
  const app = await createApp(ctx, {
    name: 'Planilhas',
    redirectUris: ['https://planilhas.example.com/back'],
    scopes: ['contacts:read'],
  });
  paths = {
    home: '',
    keys: '/api-keys',
    'new-key': '/api-keys/new?preset=messages',
    webhooks: '/webhooks',
    'new-webhook': '/webhooks/new',
    webhook: `/webhooks/${id}`,
    'edit-webhook': `/webhooks/${id}/edit`,
    delivery: `/webhooks/${id}/deliveries/${deliveries[0]?.id}`,
    apps: '/apps',
    'new-app': '/apps/new',
    app: `/apps/${app.id}`,
    connections: '/connections',
    members: '/members',
    member: `/members/${member.id}`,
    teams: '/teams',
    audit: '/audit',
  };
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
  openConsole(browser, scene, path, { locale: 'en-US', ...options });

describe('the console in a browser', () => {
  it('shows every page with no finding of axe and no complaint of the browser, light and dark', async () => {
    const pages = [
      await open('', { colorScheme: 'light' }),
      await open('', { colorScheme: 'dark' }),
    ];
    const seen = pages.map(complaintsOf);
    for (const [index, [name, path]] of Object.entries(paths).entries()) {
      const page = pages[index % 2];
      await page?.goto(addressOf(scene, path));
      expect([name, page && (await accessibilityFindings(page))]).toEqual([name, []]);
      if (page) await shoot(page, name);
    }
    for (const page of pages) await page.context().close();
    expect(seen.flat()).toEqual([]);
  }, 120_000);

  it('fits a phone, and whoever reads large', async () => {
    const page = await open('', { viewport: { width: 360, height: 740 }, locale: 'pt-BR' });
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(addressOf(scene, path));
      const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      expect([name, fits]).toEqual([name, true]);
      await shoot(page, `${name}-phone`);
    }
    await page.context().close();
  }, 60_000);

  it('makes a key by keyboard alone, without a script, and shows it once', async () => {
    const page = await open('/api-keys', { javaScriptEnabled: false });
    const keys = page.keyboard;
    await keys.press('Tab');
    await keys.press('Enter');
    await page.getByRole('link', { name: 'Create a key' }).focus();
    await keys.press('Enter');
    await page.waitForURL(/api-keys\/new/);
    await page.getByRole('textbox', { name: 'Name' }).focus();
    await keys.type('Loja');
    await page.getByLabel('Read the messages of conversations.').focus();
    await keys.press('Space');
    await keys.press('Enter');
    await page.waitForURL(/api-keys$/);

    expect(await page.getByRole('status').textContent()).toContain('The key “Loja” is ready.');
    const shown = await page.getByLabel('The new API key').textContent();
    expect(shown).toMatch(/^sk_live_[0-9a-f]{32}$/);
    await shoot(page, 'key-once');
    await page.reload();
    expect(await page.content()).not.toContain(shown ?? '-');
    await page.context().close();
  }, 60_000);

  it('says at the field what is wrong, and takes the reader there', async () => {
    const page = await open('/webhooks/new');
    await page.getByLabel('Name').fill('Loja');
    await page.getByLabel('Address').fill('https://10.0.0.1/hooks');
    await page.waitForSelector('#url-check .problem');
    await page.getByLabel('A person wrote.').check();
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.waitForSelector('.summary');

    expect(await page.title()).toMatch(/^This could not be done/);
    await page.locator('.summary a').first().click();
    expect(await page.evaluate('document.activeElement.id')).toBe('f-url');
    expect(await page.getByLabel('Name').inputValue()).toBe('Loja');
    expect(await accessibilityFindings(page)).toEqual([]);
    await shoot(page, 'webhook-refused');
    await page.context().close();
  }, 60_000);

  it('shows what becomes of a delivery while it is looked at, without losing the place', async () => {
    const page = await open(`/webhooks/${endpointId}`);
    const complaints = complaintsOf(page);
    await page.getByRole('link', { name: 'failed' }).focus();
    await inWorkspace(scene.database, scene.ctx.organizationId, (sql) =>
      sql.rows(
        "update webhook_deliveries set status = 'failed', code = 503, finished_at = now() where endpoint_id = $1",
        [endpointId],
      ),
    );

    await page.waitForSelector('td >> text=503', { timeout: 60_000 });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('failed');
    expect(complaints).toEqual([]);
    await page.context().close();
  }, 90_000);

  it('loads at most 60 KB the first time', async () => {
    for (const path of Object.values(paths)) {
      const { text } = await scene.people.owner.get(scene.base + path);
      const files = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, at]) => at);
      let bytes = gzipSync(text).length;
      for (const file of files) {
        const asset = await fetch(scene.api.url + file);
        expect(asset.headers.get('content-encoding')).toBe('gzip');
        expect(asset.headers.get('cache-control')).toContain('immutable');
        bytes += Number(asset.headers.get('content-length'));
      }
      expect([path, bytes <= 60 * 1_024]).toEqual([path, true]);
    }
  });
});
