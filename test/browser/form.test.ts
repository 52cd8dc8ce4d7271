import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  aFormScene,
  aPhone,
  type FormScene,
  freshCounters,
  submissionsOf,
} from '../forms/support/scene.ts';
import { accessibilityFindings, complaintsOf, openBrowser } from '../support/browser.ts';
import { aForm, NAME, PHONE } from '../support/factories/forms.ts';

let scene: FormScene;
let browser: Browser;
beforeAll(async () => {
  [scene, browser] = await Promise.all([aFormScene(), openBrowser()]);
});
beforeEach(() => freshCounters(scene.database));
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const SHOTS = process.env['SCREENSHOTS'];

/** One of each kind of question. */
const everyType = () =>
  aForm(scene.ctx, {
    title: 'Encomenda de festa',
    description: 'Conte como é a sua festa e respondemos em um dia.\nSem compromisso.',
    thanks: 'Obrigada! Respondemos amanhã até as 10h.',
    fields: [
      { ...NAME, required: true },
      PHONE,
      { type: 'email', label: 'E-mail', save_to: 'email' },
      { type: 'date', label: 'Data de nascimento', save_to: 'birth_date' },
      { type: 'number', label: 'Quantas pessoas?', required: true, save_to: 'custom.pessoas' },
      { type: 'select', label: 'Período', required: true, options: ['Manhã', 'Tarde', 'Noite'] },
      { type: 'select', label: 'Como nos achou?', options: ['Amigos', 'Instagram', 'Rua'] },
      { type: 'multi_select', label: 'Sabores', options: ['Chocolate', 'Morango', 'Nozes'] },
      { type: 'long_text', label: 'Recado' },
      { type: 'checkbox', label: 'Preciso de entrega' },
      { type: 'consent', label: 'Quero receber ofertas por WhatsApp' },
    ],
  });

async function openForm(formId: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: 'pt-BR', ...options });
  const page = await context.newPage();
  await page.goto(`${scene.api.url}/f/${formId}`);
  return page;
}

async function shoot(page: Page, name: string): Promise<void> {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

describe('the public page in a browser', () => {
  it('is filled in by keyboard alone, with no finding of axe and no complaint of the browser', async () => {
    const { id } = await everyType();
    const phone = aPhone();
    const page = await openForm(id);
    const complaints = complaintsOf(page);
    await shoot(page, 'empty-light');
    expect(await accessibilityFindings(page)).toEqual([]);
    const keys = page.keyboard;
    const write = async (text: string): Promise<void> => {
      await keys.press('Tab');
      await keys.type(text);
    };

    await write('Ana Souza');
    await write(phone.written);
    await write('ana@exemplo.com');
    await page.getByLabel('Data de nascimento').fill('1990-04-12');
    await page.getByLabel('Quantas pessoas?').focus();
    await keys.type('25');
    await keys.press('Tab');
    await keys.press('Space');
    await keys.press('ArrowDown');
    await write('I');
    await keys.press('Tab');
    await keys.press('Space');
    await keys.press('Tab');
    await keys.press('Tab');
    await keys.press('Space');
    await write('Sem glúten');
    await keys.press('Tab');
    await keys.press('Tab');
    await keys.press('Space');
    await keys.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Enviar');
    await keys.press('Enter');
    await page.waitForSelector('text=Recebemos sua resposta');

    expect(await page.locator('[role=status]').textContent()).toContain('amanhã até as 10h');
    expect(await accessibilityFindings(page)).toEqual([]);
    await shoot(page, 'thanks-light');
    expect(complaints).toEqual([]);
    const [kept] = await submissionsOf(scene, id);
    const values = Object.values(kept?.answers ?? {}).map(({ value }) => value);
    expect(values).toEqual([
      'Ana Souza',
      phone.e164,
      'ana@exemplo.com',
      '1990-04-12',
      25,
      'Tarde',
      'Instagram',
      ['Chocolate', 'Nozes'],
      'Sem glúten',
      false,
      true,
    ]);
    await page.context().close();
  });

  it('says what is wrong beside the field and above, takes the reader there, and keeps what was written', async () => {
    const { id } = await everyType();
    const page = await openForm(id);
    const complaints = complaintsOf(page);
    await page.getByLabel('E-mail').fill('ana@');
    await page.getByRole('textbox', { name: 'WhatsApp' }).fill('98765-4321');
    await page.getByLabel('Morango').check();

    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.waitForSelector('.summary');

    expect(await page.title()).toMatch(/^Erro: Encomenda de festa/);
    await page.locator('.summary:focus').waitFor();
    expect(await page.locator('.summary li').count()).toBe(5);
    const email = page.getByLabel('E-mail');
    expect(await email.inputValue()).toBe('ana@');
    expect(await email.getAttribute('aria-invalid')).toBe('true');
    const described = await email.getAttribute('aria-describedby');
    expect(await page.locator(`#${described}`).textContent()).toMatch(/^Escreva um e-mail válido/);
    expect(await page.getByLabel('Morango').isChecked()).toBe(true);
    await page.locator('.summary a', { hasText: 'WhatsApp' }).click();
    await page.locator('#f-whatsapp:focus').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await shoot(page, 'errors-light');
    expect(complaints).toEqual([]);
    expect(await submissionsOf(scene, id)).toEqual([]);
    await page.context().close();
  });

  it('is one submission for a double click, also without JavaScript, and shows the thanks', async () => {
    const { id } = await aForm(scene.ctx);
    const page = await openForm(id, { javaScriptEnabled: false });
    await page.getByLabel('WhatsApp').fill(aPhone().written);

    await page.getByRole('button', { name: 'Enviar' }).dblclick();
    await page.waitForSelector('text=Recebemos sua resposta');
    await page.reload();

    expect(await page.locator('h1').textContent()).toBe('Recebemos sua resposta');
    expect(await submissionsOf(scene, id)).toHaveLength(1);
    await page.context().close();
  });

  it.each([
    ['dark', { colorScheme: 'dark' }],
    ['on a phone', { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
    ['with large text', { viewport: { width: 320, height: 600 }, deviceScaleFactor: 2 }],
  ] as const)('reads as well %s', async (name, options) => {
    const { id } = await everyType();
    const page = await openForm(id, options);
    await page.getByRole('button', { name: 'Enviar' }).click();
    await page.waitForSelector('.summary');

    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await shoot(page, `errors-${name.replaceAll(' ', '-')}`);
    await page.context().close();
  });

  it('answers what does not exist with a page of its own, in the language of the browser', async () => {
    const page = await openForm('frm_01JD8B6V0R5Q9T3XK2M7N4P1WZ', { locale: 'en-US' });

    expect(await page.locator('h1').textContent()).toBe('Page not found');
    expect(await accessibilityFindings(page)).toEqual([]);
    await shoot(page, 'not-found');
    await page.context().close();
  });
});
