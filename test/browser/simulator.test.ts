import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { NUMBER, openSimulatorStage, type SimulatorStage } from '../simulator/support/stage.ts';
import { accessibilityFindings, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/waiting.ts';

let stage: SimulatorStage;
let browser: Browser;
beforeAll(async () => {
  [stage, browser] = await Promise.all([openSimulatorStage(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const GROUP = '120363041234567890@g.us';
const SHOTS = process.env['SCREENSHOTS'];

it('a member writes in a group on the phone of the simulator', async () => {
  await stage.sendBody({
    messaging_product: 'whatsapp',
    recipient_type: 'group',
    to: GROUP,
    type: 'text',
    text: { body: 'Quem traz a farinha?' },
  });
  const page = await browser.newPage();
  await page.goto(stage.simulator.url);
  await page.getByRole('button', { name: GROUP }).click();
  await page.getByLabel('Phone of the member who writes').fill('+5511987654321');
  await page.getByLabel('Message').fill('Eu levo');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The service took it.').waitFor();
  await eventually(() => stage.receiver.messages().length === 1);

  expect(stage.receiver.messages()).toMatchObject([
    { from: '5511987654321', group_id: GROUP, text: { body: 'Eu levo' } },
  ]);
  expect(stage.receiver.values().at(-1)?.metadata.phone_number_id).toBe(NUMBER);
  await page.getByRole('log').getByText('Eu levo').waitFor();
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/simulator-group.png` });
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.close();
});

it('keeps what was refused, and says at the field why, until somebody writes on', async () => {
  const person = '5511987654321';
  const page = await browser.newPage();
  await page.goto(`${stage.simulator.url}/#phone_number_id=${NUMBER}&person=${person}`);
  const message = page.getByLabel('Message');
  const problem = page.getByText('Message: At most 4096 characters.');
  const long = 'x'.repeat(4097);
  await message.fill(long);
  await page.getByRole('button', { name: 'Send' }).click();
  await problem.waitFor();
  await page.waitForResponse(/\/simulator\/phone/);

  if (SHOTS) await page.screenshot({ path: `${SHOTS}/simulator-refused.png` });
  expect(await problem.isVisible()).toBe(true);
  expect(await message.inputValue()).toBe(long);
  expect(await message.getAttribute('aria-invalid')).toBe('true');
  expect(await accessibilityFindings(page)).toEqual([]);

  await message.fill('Oi');
  expect(await problem.count()).toBe(0);
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('The service took it.').waitFor();
  await page.close();
});

it('says that nothing was sent while the simulator does not answer, and keeps the words', async () => {
  const page = await browser.newPage();
  await page.goto(`${stage.simulator.url}/#phone_number_id=${NUMBER}&person=5511987654321`);
  await page.getByLabel('Message').fill('Oi');
  await page.context().setOffline(true);
  await page.getByText('Trying again.').waitFor();

  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Nothing was sent.').waitFor();

  expect(await page.getByLabel('Message').inputValue()).toBe('Oi');
  await page.context().setOffline(false);
  await page.getByText('Nothing was sent.').waitFor({ state: 'detached' });
  await page.close();
});
