import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createDeal } from '../../src/pipelines/service.ts';
import { addressOf, openConsole, openConsoleBrowser, shoot } from '../console/support/browsing.ts';
import { aConsoleScene, type ConsoleScene } from '../console/support/scene.ts';
import { accessibilityFindings, complaintsOf } from '../support/browser.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aForm } from '../support/factories/forms.ts';
import { type APipeline, aPipeline } from '../support/factories/pipelines.ts';
import { aSegment } from '../support/factories/segments.ts';

let scene: ConsoleScene;
let browser: Browser;
let pipeline: APipeline;
let paths: Readonly<Record<string, string>>;

beforeAll(async () => {
  scene = await aConsoleScene();
  browser = await openConsoleBrowser(scene);
  const { ctx } = scene;
  const { id: contactId } = await aContact(ctx, { name: 'Ana Souza', tags: ['vip'] });
  const { id: segment } = await aSegment(ctx, { name: 'Clientes' });
  const { id: formId } = await aForm(ctx, { description: 'Um minuto.', personal_link: true });
  pipeline = await aPipeline(ctx);
  const stage_id = pipeline.stages['Novo'] ?? '';
  const deal = { contact_id: contactId, stage_id, title: 'Bolo azul', value_cents: 12_000 };
  const { id: dealId } = await createDeal(ctx, deal);
  paths = {
    segments: '/segments',
    'edit-segment': `/segments/${segment}/edit`,
    segment: `/segments/${segment}`,
    forms: '/forms',
    'edit-form': `/forms/${formId}/edit`,
    form: `/forms/${formId}`,
    'form-link': `/forms/${formId}/link`,
    pipelines: '/pipelines',
    'new-pipeline': '/pipelines/new',
    board: `/pipelines/${pipeline.id}`,
    stages: `/pipelines/${pipeline.id}/stages`,
    deals: `/pipelines/${pipeline.id}/deals`,
    'new-deal': `/pipelines/${pipeline.id}/deals/new`,
    deal: `/deals/${dealId}`,
  };
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
  openConsole(browser, scene, path, options);

it('shows segments, forms and pipelines with no finding of axe and no complaint of the browser', async () => {
  const page = await open('/segments');
  const complaints = complaintsOf(page);
  for (const [name, path] of Object.entries(paths)) {
    await page.emulateMedia({ colorScheme: name.length % 2 === 0 ? 'dark' : 'light' });
    await page.goto(addressOf(scene, path));

    expect([name, await accessibilityFindings(page)]).toEqual([name, []]);
    expect([name, complaints]).toEqual([name, []]);
    await shoot(page, `console-${name}`);
  }
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [name, path] of Object.entries(paths)) {
    await page.goto(addressOf(scene, path));
    const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
    expect([name, fits]).toEqual([name, true]);
    await shoot(page, `console-${name}-phone`);
  }
  await page.context().close();
}, 120_000);

it('moves a deal by keyboard alone, in Portuguese, without a script', async () => {
  const page = await open(paths['board'] ?? '', { locale: 'pt-BR', javaScriptEnabled: false });
  const keys = page.keyboard;

  await page.getByLabel('Mover Bolo azul para').focus();
  await keys.type('Ganho');
  await keys.press('Tab');
  await keys.press('Enter');
  await page.waitForURL(/#dea_/);

  expect(await page.getByRole('status').textContent()).toContain('O negócio foi movido.');
  const won = page.locator(`section[aria-labelledby="${pipeline.stages['Ganho']}"]`);
  expect(await won.getByRole('link').textContent()).toBe('Bolo azul');
  await page.context().close();
}, 60_000);

it('counts a segment while it is written, and says in the text where it is wrong', async () => {
  const page = await open('/segments/new', { locale: 'en-US' });
  await page.getByLabel('Rules').fill('{"field":"tag","op":"has_any","value":["vip"]}');
  await page.getByRole('button', { name: 'Count without saving' }).click();
  await page.getByText('Matching now: 1').waitFor();
  await page.getByLabel('Name').fill('VIPs');
  await page.getByLabel('Rules').fill('{"field":"tag","op":"like","value":["vip"]}');
  await page.getByRole('button', { name: 'Save the segment' }).click();
  await page.locator('.summary').waitFor();

  expect(await page.locator('#f-rules-error').textContent()).toMatch(/^op: Must be one of/);
  expect(await accessibilityFindings(page)).toEqual([]);
  await shoot(page, 'console-segment-refused');
  await page.context().close();
}, 60_000);
