import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { renameStage } from '../../src/pipelines/managing.ts';
import { arrivedAt, openAt, shoot, signIn } from '../sign-in/support/driving.ts';
import { aRealScene, type RealScene } from '../sign-in/support/real.ts';
import { accessibilityFindings, complaintsOf, openBrowser } from '../support/browser.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { aPerson } from '../support/people.ts';
import { rowsOf } from '../support/rows-of.ts';

let scene: RealScene;
let browser: Browser;
beforeAll(async () => {
  [scene, browser] = await Promise.all([aRealScene(), openBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await scene?.close();
});

const addressOf = (path: string): string =>
  `${scene.baseUrl}/console/${scene.ctx.organizationId}${path}`;

/** Somebody who has just signed in, on a page of the console. */
async function someoneAt(path: string, locale = 'en-US'): Promise<Page> {
  await scene.freshCounters();
  const { email } = await aPerson(scene.ctx, { role: 'owner' });
  const page = await openAt(browser, addressOf(path), { locale });
  await signIn(page, email);
  await page.waitForURL(addressOf(path));
  return page;
}

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const here = (page: Page) => page.getByText('What you wrote here and did not send is here again.');
/** The page is there before its script, which writes what was kept and keeps what is written. */
const scripted = (page: Page): Promise<void> => page.waitForLoadState();

it('keeps what is written in one form while another of its page is sent, done or refused', async () => {
  const page = await someoneAt('/settings');
  const complaints = complaintsOf(page);
  const name = page.locator('#f-name');
  const from = page.locator('#f-quiet-from');
  await name.fill('Padaria Nova');
  await from.fill('21:00');

  await press(page, 'Save the limits');
  await page.getByRole('alert').waitFor();
  await scripted(page);
  expect([await name.inputValue(), await from.inputValue()]).toEqual(['Padaria Nova', '21:00']);
  await shoot(page, 'unsent-refused');
  expect(await accessibilityFindings(page)).toEqual([]);

  await press(page, 'Save');
  await page.getByText('The settings are saved.').waitFor();
  await scripted(page);
  expect([await name.inputValue(), await from.inputValue()]).toEqual(['Padaria Nova', '21:00']);
  await shoot(page, 'unsent-kept');

  await press(page, 'Take it out');
  expect([await name.inputValue(), await from.inputValue()]).toEqual(['Padaria Nova', '']);
  expect(await here(page).count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('keeps it while its writer is on another page, in an open disclosure too', async () => {
  await aNumber(scene.ctx, { window: true });
  const { id } = await aContact(scene.ctx, { name: 'Ana' });
  const page = await someoneAt(`/contacts/${id}`);
  const notes = page.locator('#f-notes');
  const text = page.locator('#f-text');
  const disclosure = page.locator('summary', { hasText: 'Write a message' });
  await notes.fill('Prefere o bolo de cenoura\nsem cobertura');
  await disclosure.click();
  await text.fill('Bom dia');
  await page.getByRole('link', { name: 'Contacts', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Contacts' }).waitFor();
  expect(await here(page).count()).toBe(0);

  await page.goto(addressOf(`/contacts/${id}`));
  await here(page).waitFor();
  expect(await notes.inputValue()).toBe('Prefere o bolo de cenoura\nsem cobertura');
  expect([await text.isVisible(), await text.inputValue()]).toEqual([true, 'Bom dia']);
  await shoot(page, 'unsent-contact');
  await disclosure.click();
  await press(page, 'Save');
  await page.getByText('The contact is saved.').waitFor();
  expect(await here(page).count()).toBe(0);
  expect(await text.inputValue()).toBe('');
  await page.context().close();
});

it('undoes nothing that somebody else changes while it is kept', async () => {
  const { id } = await aContact(scene.ctx, { name: 'Bia', tags: ['vip'] });
  const page = await someoneAt(`/contacts/${id}`);
  await page.locator('#f-tags').fill('vip\nbolo');
  await page.goto(addressOf('/contacts'));
  await rowsOf(scene.ctx, "update contacts set tags = '{vip,torta}' where id = $1", [id]);

  await page.goto(addressOf(`/contacts/${id}`));
  await here(page).waitFor();
  await press(page, 'Save');
  await page.getByText('The contact is saved.').waitFor();

  const [row] = await rowsOf<{ tags: string[] }>(
    scene.ctx,
    'select tags from contacts where id = $1',
    [id],
  );
  expect(row?.tags.toSorted()).toEqual(['bolo', 'torta', 'vip']);
  await page.context().close();
});

it('keeps of many forms of one kind only the one that was refused', async () => {
  const { id, stages } = await aPipeline(scene.ctx);
  const page = await someoneAt(`/pipelines/${id}/stages`);
  const idOf = (stage: string): string => stages[stage]?.replace('_', '-') ?? '';
  const nameOf = (stage: string) => page.locator(`#f-name-${idOf(stage)}`);
  await nameOf('Novo').fill('   ');
  await page
    .locator('form', { has: nameOf('Novo') })
    .getByRole('button')
    .click();
  await page.getByRole('alert').waitFor();
  await scripted(page);
  await page.goto(addressOf('/pipelines'));
  await renameStage(scene.ctx, stages['Proposta'] ?? '', 'Oferta');

  await page.goto(addressOf(`/pipelines/${id}/stages`));
  await here(page).waitFor();
  expect([await nameOf('Novo').inputValue(), await nameOf('Proposta').inputValue()]).toEqual([
    '   ',
    'Oferta',
  ]);
  await page.context().close();
});

it.each([
  ['en-US', 'You have signed in again'],
  ['pt-BR', 'Você entrou outra vez'],
])('shows a form again that was sent after the session had ended, in %s', async (locale, said) => {
  await scene.freshCounters();
  const { email } = await aPerson(scene.ctx, { role: 'owner' });
  const { id } = await aContact(scene.ctx, { name: 'Caio' });
  const page = await openAt(browser, addressOf(`/contacts/${id}`), { locale });
  await signIn(page, email);
  await arrivedAt(page, new URL(addressOf(`/contacts/${id}`)).pathname);
  const notes = page.locator('#f-notes');
  await notes.fill('Liga na sexta');
  await page.locator('#f-language').fill('pt');
  await page.context().clearCookies();

  await page.locator('form:has(#f-notes) button').last().click();
  await page.waitForURL(/\/sign-in\?/);
  await signIn(page, email);
  await page.getByRole('alert').getByText(said).waitFor();

  await shoot(page, `unsent-signed-in-${locale}`);
  expect(await notes.inputValue()).toBe('Liga na sexta');
  await page.locator('form:has(#f-notes) button').last().click();
  await page.waitForURL(addressOf(`/contacts/${id}`));
  await page.locator('.notice.good').waitFor();
  const [row] = await rowsOf(scene.ctx, 'select notes, language from contacts where id = $1', [id]);
  expect(row).toEqual({ notes: 'Liga na sexta', language: 'pt' });
  await page.context().close();
});

it.each<[string, (page: Page) => Promise<unknown>]>([
  ['not sent', (page) => page.reload()],
  ['sent', (page) => press(page, 'Save')],
])(
  'shows what was %s to nobody else, and forgets it when its writer signs out',
  async (_, leave) => {
    const { id } = await aContact(scene.ctx, { name: 'Davi' });
    const page = await someoneAt(`/contacts/${id}`);
    const notes = page.locator('#f-notes');
    const kept = () => page.evaluate('sessionStorage.length');
    await notes.fill('Segredo');
    await page.context().clearCookies();
    await leave(page);
    await page.waitForURL(/\/sign-in\?/);
    const other = await aPerson(scene.ctx, { role: 'owner' });
    await signIn(page, other.email);
    await arrivedAt(page, new URL(addressOf(`/contacts/${id}`)).pathname);
    expect(await notes.inputValue()).toBe('');

    await notes.fill('Meu');
    await page.goto(addressOf('/contacts'));
    expect(await kept()).not.toBe(0);
    await press(page, 'Sign out');
    await page.waitForURL('**/sign-in?done=signed-out');
    expect(await kept()).toBe(0);
    await page.context().close();
  },
);
