import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from '@jest/globals';
import { closeConversation } from '../../src/conversations/service.ts';
import { addTeam } from '../../src/members/teams.ts';
import { addressOf, openSeenScene, type SeenScene, shoot } from '../console/support/browsing.ts';
import { accessibilityFindings } from '../support/browser.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aPipeline } from '../support/factories/pipelines.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';

const scene = opened(() => openSeenScene([], { viewport: { width: 1280, height: 800 } }));

const open: SeenScene['open'] = (...asked) => scene.open(...asked);

it('keeps a reply that is being written while somebody else closes the conversation', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Ana' });
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const page = await open(`/inbox/${id}`);
  const reply = page.getByLabel('Reply to Ana');
  await reply.fill('Já vejo isso');

  await closeConversation(scene.ctx, id);
  await page.getByText('Somebody closed the conversation meanwhile.').waitFor();
  expect(await reply.inputValue()).toBe('Já vejo isso');
  await page.getByRole('link', { name: 'Load the page again' }).click();
  await page.getByRole('button', { name: 'Open it again' }).waitFor();
  await page.context().close();
});

it('keeps a reply that is being written when the session ends, until its writer is back', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Eva' });
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const page = await open(`/inbox/${id}`);
  const reply = page.getByLabel('Reply to Eva');
  await reply.fill('Já vejo isso');

  const cookies = await page.context().cookies();
  await page.context().clearCookies();
  const away = page.getByText('You are signed out.');
  await away.waitFor();
  await shoot(page, 'inbox-signed-out');

  expect(await reply.inputValue()).toBe('Já vejo isso');
  expect(await page.getByRole('heading', { name: 'Messages' }).isVisible()).toBe(true);
  expect(await accessibilityFindings(page)).toEqual([]);

  // As by signing in again in another tab.
  await page.context().addCookies(cookies);
  await away.waitFor({ state: 'detached' });
  expect(await reply.inputValue()).toBe('Já vejo isso');
  await page.context().clearCookies();
  await away.waitFor();
  await page.context().close();
});

it('goes back to a form that was answered, with what stood in it', async () => {
  await aContact(scene.ctx, { name: 'Lia Prado' });
  const { id: pipeline } = await aPipeline(scene.ctx, 'Bolos');
  const page = await open(`/pipelines/${pipeline}/deals/new`);
  await page.getByLabel('Search for a contact').fill('Lia');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByLabel('Lia Prado').check();
  await page.getByLabel('Title').fill('Bolo de casamento');

  await page.getByRole('link', { name: 'Contacts', exact: true }).click();
  await page.getByRole('heading', { name: 'Contacts' }).waitFor();
  await page.goBack();

  expect(await page.getByLabel('Title').inputValue()).toBe('Bolo de casamento');
  expect(await page.getByLabel('Lia Prado').isChecked()).toBe(true);
  await page.context().close();
});

it('shows whole times of the opening hours, on a phone too', async () => {
  const { id } = await aNumber(scene.ctx);
  for (const width of [1280, 390]) {
    const page = await open(`/numbers/${id}`, { viewport: { width, height: 800 } });
    await page.getByRole('combobox', { name: 'Opening hours' }).selectOption('weekly');
    const time = page.locator('.day input[type=time]').first();
    await time.fill('21:00');
    await shoot(page, `hours-${width}`);
    const room = await time.evaluate((input: { offsetWidth: number; style: { width: string } }) => {
      const shown = input.offsetWidth;
      input.style.width = 'max-content';
      return shown - input.offsetWidth;
    });
    expect(room).toBeGreaterThanOrEqual(0);
    await page.context().close();
  }
});

it('shows what was written from right to left as it was written', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Layla' });
  const conversationId = await aConversation(scene.ctx, { numberId, contactId });
  const pair = { numberId, contactId, conversationId, sentAt: scene.ctx.now };
  const [id] = await someMessages(scene.ctx, { ...pair, status: 'delivered' });
  await rowsOf(scene.ctx, 'update messages set text = $2 where id = $1', [id, 'هل لديكم كعك؟']);

  const page = await open(`/inbox/${conversationId}`);
  const place = await page.locator('.written').evaluate((paragraph) => {
    const range = paragraph.ownerDocument.createRange();
    range.selectNodeContents(paragraph);
    const words = range.getBoundingClientRect();
    const box = paragraph.getBoundingClientRect();
    return { left: words.left - box.left, right: box.right - words.right };
  });
  expect(place.right).toBeLessThan(place.left);
  await page.context().close();
});

it('breaks no button of a table because of a long name beside it', async () => {
  await addTeam(scene.ctx, 'T'.repeat(60));
  const page = await open('/teams');
  await shoot(page, 'teams-long');
  const button = await page.locator('td summary').boundingBox();
  expect(button?.height).toBeLessThan(40);
  await page.context().close();
});

it('saves on Enter in a field of a form with a search for contacts, and searches on Enter in the search box', async () => {
  await aContact(scene.ctx, { name: 'Clara Dias' });
  await aNumber(scene.ctx);
  const { id: pipeline } = await aPipeline(scene.ctx);
  const page = await open(`/pipelines/${pipeline}/deals/new`);
  await page.getByLabel('Search for a contact').fill('Clara');
  await page.keyboard.press('Enter');
  await page.getByLabel('Clara Dias').waitFor();
  // Whoever chooses several searches on, or goes on to those who were found.
  await page.locator('#f-q:focus').waitFor();
  for (const key of ['Tab', 'Tab', 'Space']) await page.keyboard.press(key);
  expect(await page.getByLabel('Clara Dias').isChecked()).toBe(true);
  await shoot(page, 'enter');
  expect(await accessibilityFindings(page)).toEqual([]);

  await page.getByLabel('Title').fill('Bolo azul');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/deals\/dea_/);
  await page.getByRole('heading', { name: 'Bolo azul' }).waitFor();

  // Where other fields are required, and still empty.
  await page.goto(addressOf(scene, '/reminders/new'));
  await page.getByLabel('To whom').selectOption('contact');
  await page.getByLabel('Search for a contact').fill('Clara');
  await page.keyboard.press('Enter');
  await page.getByLabel('Clara Dias').waitFor();
  await page.locator('#f-q:focus').waitFor();
  await page.context().close();
});

it('sends a picture from the inbox, and keeps the words when a file is refused', async () => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Lia' });
  const id = await aConversation(scene.ctx, { numberId, contactId });
  await someMessages(scene.ctx, { numberId, contactId, conversationId: id });
  const page = await open(`/inbox/${id}`);
  const choose = (name: string, hex: string) =>
    page
      .getByLabel('File', { exact: true })
      .setInputFiles({ name, mimeType: '', buffer: Buffer.from(hex, 'hex') });
  await page.getByLabel('Reply to Lia').fill('O bolo de hoje');
  await choose('bolo.zip', '504b0304');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('alert').waitFor();
  await shoot(page, 'inbox-file-refused');
  expect(await page.getByLabel('Reply to Lia').inputValue()).toBe('O bolo de hoje');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await shoot(page, 'inbox-file-refused-390');

  await choose('bolo.png', '89504e470d0a1a0a01');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('The message is on its way.').waitFor();
  await shoot(page, 'inbox-file-390');
  await page.setViewportSize({ width: 1280, height: 800 });
  await shoot(page, 'inbox-file');
  await page.getByRole('link', { name: 'Picture: bolo.png' }).waitFor();
  await page.context().close();
});

it.each([
  ['a little', 100.1],
  ['far', 101],
])('answers a file that is %s too large, and keeps the words', async (_, megabytes) => {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name: 'Eva' });
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const folder = await mkdtemp(path.join(tmpdir(), 'large-'));
  const film = path.join(folder, 'film.mp4');
  await writeFile(film, '');
  await truncate(film, Math.round(megabytes * 1024 ** 2));
  const page = await open(`/inbox/${id}`);

  await page.getByLabel('Reply to Eva').fill('O filme');
  await page.getByLabel('File', { exact: true }).setInputFiles(film);
  await page.getByRole('button', { name: 'Send', exact: true }).click();

  expect(await page.getByRole('alert').innerText()).toContain('The file is too large.');
  expect(await page.getByLabel('Reply to Eva').inputValue()).toBe('O filme');
  await page.context().close();
  await rm(folder, { recursive: true });
});
