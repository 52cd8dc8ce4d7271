import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { createReminder, newReminderOf } from '../../src/reminders/service.ts';
import { addressOf, openConsole, openConsoleBrowser, shoot } from '../console/support/browsing.ts';
import { aConsoleScene, type ConsoleScene } from '../console/support/scene.ts';
import { accessibilityFindings, complaintsOf } from '../support/browser.ts';
import { anActiveAutomation, aRun } from '../support/factories/automations.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aSegment } from '../support/factories/segments.ts';

let scene: ConsoleScene;
let browser: Browser;
let paths: Readonly<Record<string, string>>;

beforeAll(async () => {
  scene = await aConsoleScene();
  browser = await openConsoleBrowser(scene);
  const { ctx } = scene;
  const { id: numberId } = await aNumber(ctx, { name: 'Vendas' });
  await aSegment(ctx, { name: 'Clientes' });
  const { id: contactId } = await aContact(ctx, { name: 'Ana Souza', tags: ['vip'] });
  const conversationId = await aConversation(ctx, { numberId, contactId });
  const sent = { numberId, contactId, conversationId, sentAt: ctx.now };
  await someMessages(ctx, { ...sent, count: 3, status: 'delivered' });
  await someMessages(ctx, { ...sent, status: 'failed' });
  const { id } = await aCampaign(ctx, { number_id: numberId, contact_ids: [contactId], pace: 60 });
  const { id: automationId } = await anActiveAutomation(ctx, {
    steps: [
      { id: 'hello', type: 'send_message', text: 'Oi!', next: 'end' },
      { id: 'end', type: 'end' },
      { id: 'lost', type: 'end' },
    ],
  });
  const runId = await aRun(ctx, { automationId, contactId, status: 'failed' });
  const reminder = newReminderOf({
    ...{
      title: 'Retorno',
      text: 'Oi!',
      number_id: numberId,
      target: 'contact',
      contact_id: contactId,
    },
    ...{ repeat: 'weekly', weekday: 3, time: '09:00' },
  });
  const { id: reminderId } = await createReminder(ctx, reminder);
  paths = {
    inbox: '/inbox',
    thread: `/inbox/${conversationId}`,
    contacts: '/contacts',
    'new-contact': '/contacts/new',
    imports: '/contacts/imports',
    contact: `/contacts/${contactId}`,
    campaigns: '/campaigns',
    'new-campaign': '/campaigns/new',
    campaign: `/campaigns/${id}`,
    preview: `/campaigns/${id}/preview`,
    recipients: `/campaigns/${id}/recipients`,
    reports: '/reports',
    'automation-report': '/reports/automations',
    automations: '/automations',
    'new-automation': '/automations/new',
    automation: `/automations/${automationId}`,
    run: `/automations/${automationId}/runs/${runId}`,
    simulation: `/automations/${automationId}/simulate`,
    reminders: '/reminders',
    'new-reminder': '/reminders/new',
    reminder: `/reminders/${reminderId}`,
    'edit-reminder': `/reminders/${reminderId}/edit`,
    numbers: '/numbers',
  };
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const open = (path: string, options: BrowserContextOptions = {}): Promise<Page> =>
  openConsole(browser, scene, path, options);

it('shows every page of the work with no finding of axe and no complaint of the browser', async () => {
  const page = await open('/inbox');
  const complaints = complaintsOf(page);
  for (const [name, path] of Object.entries(paths)) {
    await page.emulateMedia({ colorScheme: name.length % 2 === 0 ? 'dark' : 'light' });
    await page.goto(addressOf(scene, path));

    expect([name, await accessibilityFindings(page)]).toEqual([name, []]);
    expect([name, complaints]).toEqual([name, []]);
    await shoot(page, `console-${name}`);
  }
  await page.context().close();
}, 120_000);

it('says what does not fit in a definition, and how an automation would go, where a reader finds it', async () => {
  const page = await open(paths['automation'] ?? '');
  const complaints = complaintsOf(page);
  const text = page.getByLabel('Definition', { exact: true });
  const written = await text.inputValue();
  await text.fill(written.replace('"send_message"', '"dance"'));
  await page.getByRole('button', { name: 'Save the draft' }).click();
  await page.getByRole('alert').getByText('One place does not fit').click();

  expect(await text.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
  expect(await text.getAttribute('aria-describedby')).toContain('f-definition-error');
  expect(await page.locator('#f-definition-error').textContent()).toContain('steps[0].type');
  expect(await accessibilityFindings(page)).toEqual([]);
  await shoot(page, 'console-refused');

  await page.getByRole('link', { name: 'Try it' }).click();
  await page.getByRole('button', { name: 'Run it' }).click();
  await page.getByText('The conversation').waitFor();
  expect(await page.locator('.thread .ours').textContent()).toContain('Oi!');
  expect([await accessibilityFindings(page), complaints]).toEqual([[], []]);
  await shoot(page, 'console-simulated');
  await page.context().close();
}, 60_000);

it('writes a campaign by keyboard alone, in Portuguese, without a script', async () => {
  const page = await open('/campaigns/new', { locale: 'pt-BR', javaScriptEnabled: false });
  const keys = page.keyboard;

  await page.getByLabel('Nome').focus();
  await keys.type('Natal');
  for (let i = 0; i < 3; i += 1) await keys.press('Tab');
  await keys.type('Oi {{name|cliente}}!');
  await page.getByRole('button', { name: 'Salvar o rascunho' }).focus();
  await keys.press('Enter');
  await page.waitForURL(/\/campaigns\/cmp_/);

  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Natal');
  expect(await page.getByRole('status').textContent()).toContain('Nada foi enviado ainda.');
  await page.context().close();
}, 60_000);

it('follows a campaign that is being sent, without anybody loading the page again', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx);
  const wishes = { name: 'Ao vivo', number_id: numberId, contact_ids: [contactId], pace: 60 };
  const { id } = await aCampaign(scene.ctx, wishes);
  const page = await open(`/campaigns/${id}`);

  await page.getByText('Send now').first().click();
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.locator('.badge', { hasText: 'sending' }).waitFor();
  const elsewhere = await open(`/campaigns/${id}`);
  await elsewhere.getByText('Pause', { exact: true }).first().click();
  await elsewhere.getByRole('button', { name: 'Pause' }).click();
  await page.locator('.badge', { hasText: 'paused' }).waitFor();

  expect(await page.locator('#campaign').textContent()).toContain('Somebody paused it.');
  await page.context().close();
  await elsewhere.context().close();
}, 60_000);
