import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scheduleCampaign, unscheduleCampaign } from '../../src/campaigns/states/transitions.ts';
import { addressOf, openSeenScene, type SeenScene, shoot } from '../console/support/browsing.ts';
import { accessibilityFindings, complaintsOf } from '../support/browser.ts';
import { aCampaign } from '../support/factories/campaigns.ts';
import { aContact } from '../support/factories/contacts.ts';
import { aConversation, someMessages } from '../support/factories/conversations.ts';
import { aNumber } from '../support/factories/numbers.ts';
import { aMember } from '../support/members.ts';
import { opened } from '../support/opened.ts';
import { rowsOf } from '../support/rows-of.ts';
import { eventually } from '../support/waiting.ts';

const scene = opened(() => openSeenScene([], { viewport: { width: 1280, height: 800 } }));

const open: SeenScene['open'] = (...asked) => scene.open(...asked);

const rows = (text: string, params: unknown[]) => rowsOf(scene.ctx, text, params);

async function aTalkWith(name: string) {
  const { id: numberId } = await aNumber(scene.ctx);
  const { id: contactId } = await aContact(scene.ctx, { name });
  const id = await aConversation(scene.ctx, { numberId, contactId });
  const comes = (count = 2) =>
    someMessages(scene.ctx, {
      numberId,
      contactId,
      conversationId: id,
      status: 'delivered',
      count,
    });
  return { id, comes };
}

const focused = (page: Page): Promise<unknown> => page.evaluate('document.activeElement.id');

it('marks as read by keyboard, beside a reply that is being written', async () => {
  const { id, comes } = await aTalkWith('Ana');
  const page = await open(`/inbox/${id}`);
  const complaints = complaintsOf(page);
  const reply = page.getByLabel('Reply to Ana');
  await reply.fill('Já vejo isso');
  await comes();
  await rows('update conversations set unread = 2 where id = $1', [id]);
  const mark = page.getByRole('button', { name: 'Mark as read' });
  await mark.waitFor();
  await shoot(page, 'inbox-unread');

  await mark.press('Enter');
  await page.getByText('The conversation is marked as read.').waitFor();
  await shoot(page, 'inbox-marked-read');

  expect(await mark.count()).toBe(0);
  expect(await reply.inputValue()).toBe('Já vejo isso');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('f-text');
  await page.getByText('The conversation is marked as read.').waitFor({ state: 'detached' });
  expect(await rows('select unread from conversations where id = $1', [id])).toEqual([
    { unread: 0 },
  ]);
  await page.goto(page.url());
  expect(await page.getByText('The conversation is marked as read.').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('closes a conversation by keyboard only once nothing is written in its reply', async () => {
  const { id } = await aTalkWith('Caio');
  const page = await open(`/inbox/${id}`);
  const reply = page.getByLabel('Reply to Caio');
  const close = page.getByRole('button', { name: 'Close the conversation' });
  await reply.fill('Já vejo isso');

  await close.press('Enter');
  await page.getByRole('alert').waitFor();
  await shoot(page, 'inbox-close-refused');
  expect(await reply.inputValue()).toBe('Já vejo isso');
  expect(await accessibilityFindings(page)).toEqual([]);
  await reply.fill('');
  await close.press('Enter');

  await page.getByRole('button', { name: 'Open it again' }).waitFor();
  await page.context().close();
});

it('says why a conversation is not marked as read, beside a reply that is being written', async () => {
  const { id, comes } = await aTalkWith('Bia');
  await comes(20);
  await rows('update conversations set unread = 2 where id = $1', [id]);
  const page = await open(`/inbox/${id}`);
  const reply = page.getByLabel('Reply to Bia');
  await reply.fill('Já vejo isso');
  const mark = page.getByRole('button', { name: 'Mark as read' });
  // At one go: in between the part that refreshes itself would bring the field back as it was.
  const marksWith = async (name: string, value: string): Promise<void> => {
    await mark.waitFor();
    await page.evaluate(`{
      const form = document.querySelector('#conversation form');
      form.querySelector('[name=${name}]').value = '${value}';
      form.querySelector('button').click();
    }`);
  };

  await marksWith('action', 'unknown');
  await page.getByText('It does not exist, or').waitFor();
  await marksWith('_csrf', 'of another sign-in');
  await page.getByText('You have signed in again').waitFor();
  await shoot(page, 'inbox-read-refused');

  expect(await reply.inputValue()).toBe('Já vejo isso');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.context().close();
});

it('shows who takes the conversation while somebody is about to transfer it, and then transfers it', async () => {
  const { id } = await aTalkWith('Eva');
  const { id: memberId, teamIds } = await aMember(scene.ctx, { teams: ['Vendas'] });
  const [team = ''] = teamIds;
  const page = await open(`/inbox/${id}`);
  const complaints = complaintsOf(page);
  await page.locator('summary', { hasText: 'Transfer' }).click();
  await page.getByLabel('To', { exact: true }).selectOption(team);

  await rows(
    'update conversations set assigned_team_id = $2, assigned_member_id = $3 where id = $1',
    [id, team, memberId],
  );
  await page.getByRole('definition').getByText('Pessoa agent').waitFor();
  await shoot(page, 'inbox-taken');
  expect(await accessibilityFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Transfer' }).click();
  await page.getByText('The conversation is transferred.').waitFor();

  const [row] = await rows('select assigned_member_id from conversations where id = $1', [id]);
  expect([row, complaints]).toEqual([{ assigned_member_id: null }, []]);
  await page.context().close();
});

it('opens a long conversation on a phone at its newest message, and stays there after a reply', async () => {
  const { comes } = await aTalkWith('Rui');
  await comes(60);
  const page = await open('/inbox', { viewport: { width: 390, height: 800 } });
  const last = page.locator('.thread li').last();
  const reply = page.getByLabel('Reply to Rui');
  const inSight = () =>
    page.evaluate<boolean>(
      `[...document.querySelectorAll('.thread li:last-child, textarea')].map((one) => one.getBoundingClientRect()).every(({ top, bottom }) => top >= 0 && bottom <= innerHeight)`,
    );

  await page.getByRole('link', { name: 'Rui' }).click();
  await last.waitFor();
  // The browser goes there once it has the whole page.
  await eventually(inSight);
  await shoot(page, 'inbox-opened-390');
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('f-text');

  await reply.fill('Já vejo isso');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await last.getByText('Já vejo isso').waitFor();
  await eventually(inSight);
  await page.locator('#f-text:focus').waitFor();

  await page.getByRole('button', { name: 'Close the conversation' }).click();
  await page.getByText('The conversation is closed.').waitFor();
  await page.goto(addressOf(scene, '/inbox'));
  await page.getByRole('link', { name: 'Rui' }).click();
  await last.waitFor();
  await eventually(inSight);
  await page.context().close();
});

it('leaves the keyboard on the conversation that moves up in the inbox', async () => {
  const talks = [];
  for (const name of ['Cida', 'Davi', 'Enzo']) talks.push(await aTalkWith(name));
  for (const { id } of talks)
    await rows('update conversations set last_message_at = now() where id = $1', [id]);
  const [first] = talks;
  const page = await open('/inbox');
  await page.getByRole('link', { name: 'Cida' }).focus();

  await rows(
    "update conversations set last_message_at = now() + interval '1 minute', unread = 1 where id = $1",
    [first?.id],
  );
  await page.getByText('1 unread').waitFor();

  expect(await page.locator('tbody tr').first().textContent()).toContain('Cida');
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Cida');
  await shoot(page, 'inbox-moved');
  await page.context().close();
});

it('keeps what is written for a test while the campaign goes on, and follows it once that is closed', async () => {
  const { id: number_id } = await aNumber(scene.ctx, { name: 'Avisos' });
  const { id: contactId } = await aContact(scene.ctx, { name: 'Zeca' });
  const wishes = { name: 'Natal', number_id, contact_ids: [contactId] };
  const { id } = await aCampaign(scene.ctx, wishes);
  await scheduleCampaign(scene.ctx, id, { when: new Date(Date.now() + 86_400_000).toISOString() });
  const page = await open(`/campaigns/${id}`);
  const complaints = complaintsOf(page);
  const trial = page.locator('summary', { hasText: 'Send a test' });
  await trial.click();
  const phone = page.getByLabel('Phone, with country code');
  await phone.fill('+55 11 98765-4321');

  await unscheduleCampaign(scene.ctx, id);
  await page.getByRole('status').getByText('The campaign has moved on.').waitFor();
  await shoot(page, 'campaign-moved-on');
  expect(await page.locator('.badge', { hasText: 'draft' }).count()).toBe(1);
  expect(await phone.inputValue()).toBe('+55 11 98765-4321');
  expect(await accessibilityFindings(page)).toEqual([]);

  await trial.click();
  await page.locator('summary', { hasText: 'Send now' }).waitFor();
  expect(await page.getByText('The campaign has moved on.').count()).toBe(0);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('says of an address that is being typed what is wrong with it where it is read out', async () => {
  const page = await open('/webhooks/new');
  // A live region is read out when its content changes, not when it comes with its content.
  const region = await page.locator('#url-check[aria-live="polite"]').elementHandle();
  const address = page.getByLabel('Address');
  await address.pressSequentially('https://10.0.0.1/hooks');
  // Whoever types slowly is told of what stands there before.
  await page.locator('#url-check .problem', { hasText: 'must name a host' }).waitFor();
  await shoot(page, 'webhook-address');
  expect(await region?.innerText()).toContain('must name a host');

  await address.fill('https://loja.example.com/hooks');
  await page.locator('#url-check .hint').waitFor();
  expect(await region?.innerText()).toContain('✓');
  await page.context().close();
});
